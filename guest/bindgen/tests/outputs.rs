//! What is made of a WIT that has everything the generator knows.

#![allow(clippy::unwrap_used)] // A test fails by a panic.

use std::path::PathBuf;

use ghost_bindgen::World;

fn everything() -> PathBuf {
    PathBuf::from("tests/fixtures/everything")
}

/// Asserts that each line stands in the text, in this order.
fn assert_lines(text: &str, lines: &[&str]) {
    let mut rest = text.lines();
    for line in lines {
        assert!(rest.any(|found| found.trim() == *line), "{line}\nis missing, or not in its place, in\n{text}");
    }
}

#[test]
fn the_glue_takes_arguments_by_their_kinds() {
    assert_lines(
        &ghost_bindgen::glue(&everything(), World::Script).unwrap(),
        &[
            r#"let cases = [("first", kinds::CaseOfMany::First), ("secondOne", kinds::CaseOfMany::SecondOne)];"#,
            "name: members.required(0, from_script::text)?,",
            "expiry: members.optional(2, |path, value| from_script::whole(path, value, 1, 604800))?,",
            r#"method: members.optional(3, |path, value| from_script::text_of(path, value, &["GET", "PUT"]))?,"#,
            "type_: members.optional(4, case_of_many_from_script)?,",
            "inner: members.optional(5, inner_options_from_script)?,",
            "filter: members.optional(6, from_script::json)?,",
            r#"let priority = arguments.optional(4, "priority", |path, value| from_script::whole_of(path, value, &[0, 1, 2]))?;"#,
            "kinds::take(&name, &options, &names, &statements, priority, more.as_ref(), text.as_deref(), list.as_deref())?;",
        ],
    );
}

#[test]
fn the_glue_gives_results_by_their_kinds() {
    assert_lines(
        &ghost_bindgen::glue(&everything(), World::Script).unwrap(),
        &[
            "object.set(member::ID, value.id, |ctx, value| to_script::number(ctx, value as f64))?;",
            "object.set(member::WORD, value.word, case_of_many_to_script)?;",
            "object.set(member::DATA, value.data, to_script::json)?;",
            "object.set_present(member::AT, value.at, to_script::text)?;",
            "object.set_nullable(member::LENGTH, value.length, |ctx, value| to_script::number(ctx, value as f64))?;",
            "let answer = kinds::all(&where_, flag)?;",
            "Ok(to_script::array(ctx, answer, kind_result_to_script)?)",
        ],
    );
}

#[test]
fn an_asynchronous_function_owns_its_arguments_and_gives_a_promise() {
    assert_lines(
        &ghost_bindgen::glue(&everything(), World::Script).unwrap(),
        &[
            "let call = waiting::begin(conn);",
            "start(ctx, &WAITING_BEGIN, call, transaction_to_script)",
            "let why = arguments.required(0, \"why\", from_script::error_text)?;",
            "waiting::fail(&why, later.as_deref());",
            r#"static WAITING_WAIT: Method = Method { namespace: "waiting", name: "wait", waits: true };"#,
            "let call = waiting::wait(options);",
            "let call = async move { Ok(waiting::tick().await) };",
            r#"add_method(&waiting, "wait", &WAITING_WAIT, 0, Kind::Promise, waiting_wait)?;"#,
        ],
    );
}

#[test]
fn a_resource_is_an_object_with_methods() {
    assert_lines(
        &ghost_bindgen::glue(&everything(), World::Script).unwrap(),
        &[
            r#"static WAITING_TRANSACTION_QUERY: Method = Method { namespace: "waiting", name: "transaction.query", waits: false };"#,
            "let call = async move { this.query(sql, parameters).await };",
            "let answer = this.size();",
            r#"add_method(&object, "query", &WAITING_TRANSACTION_QUERY, 1, Kind::Promise, run)?;"#,
            r#"add_method(&object, "size", &WAITING_TRANSACTION_SIZE, 0, Kind::Value, run)?;"#,
        ],
    );
}

#[test]
fn a_skipped_interface_is_no_namespace() {
    let glue = ghost_bindgen::glue(&everything(), World::Script).unwrap();
    assert!(!glue.contains("console"));
}

#[test]
fn the_types_say_what_an_editor_needs() {
    assert_lines(
        &ghost_bindgen::types(&everything()).unwrap(),
        &[
            "readonly kinds: GhostKinds;",
            "* Takes everything. Fails with `NOT_FOUND` when there is none, or with `TIMEOUT` later.",
            "* @param name What to call it.",
            "* @param priority How urgent. @default 1",
            "take(name: string, options: KindOptions, names: string[], statements: InnerOptions[], \
             priority?: 0 | 1 | 2 | null, more?: KindOptions | null, text?: string | null, list?: number[] | null): void;",
            "all<T = any>(where: unknown, flag: boolean): KindResult<T>[];",
            "begin(conn: string): Promise<Transaction>;",
            "fail(why: string | Error, later?: string | Error | null): void;",
            "wait<T = any>(options?: KindOptions | null): Promise<KindResult<T> | null>;",
            "* From 1 to 604800.",
            "* @default 3600",
            "expiry?: number | null;",
            r#"method?: "GET" | "PUT" | null;"#,
            r#"type?: "first" | "secondOne" | null;"#,
            "filter?: unknown;",
            "interface KindResult<T = any> {",
            "data: T;",
            "at?: string;",
            "length: number | null;",
            "rows: (string | null)[][];",
            "query<T = any>(sql: string, parameters?: unknown): Promise<T[]>;",
            r#"| "NOT_FOUND""#,
            "declare class GError extends Error {",
            "declare var console: Console;",
        ],
    );
}

#[test]
fn the_reference_has_options_results_and_errors() {
    assert_lines(
        &ghost_bindgen::reference(&everything()).unwrap(),
        &[
            "| `NOT_FOUND` | It is not there. |",
            "## g.kinds",
            "### g.kinds.take",
            "- `name`: What to call it.",
            "- `options`: [KindOptions](#kindoptions)",
            "- `priority`: How urgent. Default: `1`.",
            "Additional errors: `NOT_FOUND`, `TIMEOUT`.",
            "### KindOptions",
            "| `name` | `string` |  | Required. |",
            "| `expiry?` | whole number | `3600` | Between. From 1 to 604800. |",
            r#"| `method?` | `"GET"`, `"PUT"` | `"GET"` |  |"#,
            "### KindResult",
            "| `data` | any |  |",
            "| `at?` | string, ISO 8601 |  |",
            "| `length` | whole number or null |  |",
            "### g.waiting.begin",
            "### Transaction",
            "### transaction.query",
        ],
    );
}

#[test]
fn a_callback_stands_behind_the_parameters_and_the_methods_that_end_it_are_not_seen() {
    assert_lines(
        &ghost_bindgen::glue(&everything(), World::Script).unwrap(),
        &[
            r#"static WAITING_SESSION_QUERY: Method = Method { namespace: "waiting", name: "session.query", waits: false };"#,
            r#"let params = arguments.optional(1, "params", sql::values)?;"#,
            "start(ctx, &WAITING_SESSION_QUERY, call, sql::rows)",
            r#"static WAITING_SESSION_FINISH: Method = Method { namespace: "waiting", name: "scope", waits: false };"#,
            r#"arguments.required(1, "callback", from_script::function)?;"#,
            r#"add_callback_method(&waiting, &WAITING_SCOPE, 1, waiting_scope, ("finish", "abort"))?;"#,
        ],
    );
    let types = ghost_bindgen::types(&everything()).unwrap();
    assert_lines(
        &types,
        &[
            "scope<T>(conn: string, callback: (scope: Session) => T | Promise<T>): Promise<T>;",
            "interface Session {",
            "query<T = any>(sql: string, params?: unknown[] | null): Promise<T[]>;",
        ],
    );
    assert!(!types.contains("finish("), "{types}");
}

#[test]
fn pages_are_an_iterator_over_their_items() {
    assert_lines(
        &ghost_bindgen::glue(&everything(), World::Script).unwrap(),
        &[
            r#"let options = arguments.optional(1, "options", page_options_from_script)?;"#,
            "let options = RefCell::new(options.unwrap_or(kinds::PageOptions { since: None, flag: None, }));",
            "let answer = kinds::each(&where_, Some(&options))?;",
            "options.since = Some(last.name.clone());",
            "pages::reader(ctx, &KINDS_EACH, page)",
            "pages::add_method(&kinds, &KINDS_EACH, 1, kinds_each)?;",
        ],
    );
    assert_lines(
        &ghost_bindgen::types(&everything()).unwrap(),
        &["each<T = any>(where: string, options?: PageOptions | null): Generator<PageItem<T>, void, void>;"],
    );
}

#[test]
fn an_update_takes_a_function_and_what_it_reads_and_writes_by_is_not_seen() {
    let glue = ghost_bindgen::glue(&everything(), World::Script).unwrap();
    assert_lines(
        &glue,
        &[
            r#"let change = arguments.required(1, "change", update::function)?;"#,
            "let read = || kinds::change(&where_).map(|reading| (reading.data, reading.revision));",
            "let replace = |revision: &str, data: &str| kinds::put_if(&where_, revision, data);",
            "let remove = |revision: &str| kinds::remove_if(&where_, revision);",
            r#"add_method(&kinds, "change", &KINDS_CHANGE, 2, Kind::Value, kinds_change)?;"#,
        ],
    );
    let (types, reference) =
        (ghost_bindgen::types(&everything()).unwrap(), ghost_bindgen::reference(&everything()).unwrap());
    assert_lines(
        &types,
        &["change<T = any>(where: string, change: (data: T | undefined) => T | undefined): PageItem<T> | null;"],
    );
    for text in [glue, types, reference] {
        for hidden in ["putIf", "removeIf", "StateOfOne:", "interface StateOfOne", "### StateOfOne", "put-if\""] {
            assert!(!text.contains(hidden), "{hidden} in {text}");
        }
    }
}

#[test]
fn the_local_glue_reaches_nothing_external_and_refuses_its_methods() {
    let local = ghost_bindgen::glue(&everything(), World::LocalScript).unwrap();
    assert!(!local.contains("waiting::"), "{local}");
    assert_lines(
        &local,
        &[
            r#"static WAITING_BEGIN: Method = Method { namespace: "waiting", name: "begin", waits: false };"#,
            r#"add_method(&waiting, "begin", &WAITING_BEGIN, 1, Kind::Promise, blocked)?;"#,
            r#"define(g, "waiting", waiting.into_value())?;"#,
        ],
    );
}
