//! The prompts: templates for usual jobs, which a user selects in the client.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// A template. `{name}` in its text stands for an argument.
struct Template {
    name: &'static str,
    description: &'static str,
    /// The names and descriptions of its arguments, all of which are required.
    arguments: &'static [(&'static str, &'static str)],
    text: &'static str,
}

const TEMPLATES: &[Template] = &[
    Template {
        name: "explore_workspace",
        description: "Find out what the workspace contains",
        arguments: &[],
        text: "Use run_script of ghost to find out what the workspace contains. Return for each collection of g.store its \
               name, its count and the keys and members of three documents; for each queue of g.queue its name, its count \
               of pending items and of dead letters; and the count of g.search. Then describe the data in a few sentences.",
    },
    Template {
        name: "import_data",
        description: "Store records as documents",
        arguments: &[("collection", "The collection of g.store"), ("records", "The records, or where they are")],
        text: "Store these records with ghost in the collection {collection} of g.store: {records}\nChoose a key that \
               identifies each record, so that a second import replaces it. Pass the records to run_script as input, in \
               several runs if they are many. Afterwards, compare g.store.count with the number of records.",
    },
    Template {
        name: "find_documents",
        description: "Answer a question from the documents of the workspace",
        arguments: &[("question", "What you want to know")],
        text: "Answer this question from the documents in ghost's workspace: {question}\nList the collections with \
               g.store.collections, read a few documents to see their members, then search with g.store.search (the \
               resource ghost://query-language.md describes its syntax) or count inside a script. Return only what the \
               answer needs, and name the keys of the documents that it is based on.",
    },
    Template {
        name: "process_queue",
        description: "Work off the items of a queue",
        arguments: &[("queue", "The name of the queue"), ("job", "What to do with each item")],
        text: "Work off the queue {queue} of ghost's workspace: {job}\nIn a script, take items with g.queue.dequeue, commit \
               each one that is done with g.queue.commit, and return one that fails with g.queue.abort and its error. Stop \
               before the time limit of the run, and run the script again until the queue is empty. Then report the dead \
               letters (g.queue.deadLetter).",
    },
    Template {
        name: "fix_script",
        description: "Find and correct the error of a script",
        arguments: &[("source", "The script"), ("error", "The error that it fails with")],
        text: "This script for ghost fails:\n\n{source}\n\nThe error is: {error}\nCheck it with check_script, look up the \
               methods that it calls with describe_api and search_docs, correct it, and show that it works with run_script.",
    },
];

/// The prompts.
pub(super) fn list() -> Vec<Prompt> {
    TEMPLATES.iter().map(Template::prompt).collect()
}

/// Returns a prompt with its arguments. The error states which name or argument is wrong.
pub(super) fn get(name: &str, given: Option<&JsonObject>) -> Result<GetPromptResult, String> {
    let template = TEMPLATES.iter().find(|template| template.name == name);
    let template = template.ok_or_else(|| {
        let names: Vec<_> = TEMPLATES.iter().map(|template| template.name).collect();
        format!("there is no prompt {name:?}, only {}", names.join(", "))
    })?;
    let text = template.filled(given)?;
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(template.description))
}

impl Template {
    fn prompt(&self) -> Prompt {
        let argument = |(name, description): &(&str, &str)| {
            PromptArgument::new(*name).with_description(*description).with_required(true)
        };
        let arguments: Vec<_> = self.arguments.iter().map(argument).collect();
        Prompt::new(self.name, Some(self.description), (!arguments.is_empty()).then_some(arguments))
    }

    fn filled(&self, given: Option<&JsonObject>) -> Result<String, String> {
        let unknown = given.into_iter().flat_map(JsonObject::keys).find(|name| !self.has(name));
        if let Some(unknown) = unknown {
            return Err(format!("{} has no argument {unknown:?}", self.name));
        }
        let mut text = String::new();
        let mut rest = self.text;
        // Each argument stands once, and what it contains is not replaced again.
        for (name, _) in self.arguments {
            let value = given.and_then(|given| given.get(*name)).and_then(Value::as_str);
            let value = value.ok_or_else(|| format!("{} needs the argument {name}, a string", self.name))?;
            let (before, after) = rest.split_once(&format!("{{{name}}}")).unwrap_or((rest, ""));
            text += before;
            text += value;
            rest = after;
        }
        Ok(text + rest)
    }

    fn has(&self, argument: &str) -> bool {
        self.arguments.iter().any(|(name, _)| *name == argument)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_template_has_its_arguments_in_order() {
        for template in TEMPLATES {
            let given: JsonObject = template
                .arguments
                .iter()
                .map(|(name, _)| ((*name).to_owned(), format!("<{name}>{{job}}").into()))
                .collect();
            let text = template.filled(Some(&given)).unwrap();
            for (name, _) in template.arguments {
                assert!(text.contains(&format!("<{name}>{{job}}")), "{text}");
            }
        }
    }

    #[test]
    fn missing_and_unknown_arguments_are_named() {
        assert!(get("nothing", None).unwrap_err().contains("explore_workspace"));
        assert!(get("import_data", None).unwrap_err().contains("collection"));
        let given = serde_json::json!({ "x": "y" });
        assert!(get("explore_workspace", given.as_object()).unwrap_err().contains("\"x\""));
    }
}
