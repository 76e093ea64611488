//! The type declarations of `g`, with those of the functions that the embedder added.

use super::{Body, Functions};

/// The type declarations of `g` (`g.d.ts`) for editors, without functions of an embedder.
pub const DECLARATIONS: &str = include_str!("../../../scripts/g.d.ts");
/// The end of the type of `g`, which is the first declaration.
const END: &str = "\n};\n";

/// Adds namespaces to the type of `g`.
pub(super) fn with(namespaces: &[Functions]) -> String {
    let members: String = namespaces.iter().map(member).collect();
    DECLARATIONS.replacen(END, &format!("\n{members}{}", &END[1..]), 1)
}

/// `readonly billing: { ... };`
fn member(functions: &Functions) -> String {
    let types = functions.types.clone().unwrap_or_else(|| untyped(functions));
    let lines = types.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
    format!("  readonly {}: {{\n{}  }};\n", functions.namespace, lines.collect::<String>())
}

fn untyped(functions: &Functions) -> String {
    let member = |(name, body): &(String, Body)| match body {
        Body::Synchronous(_) => format!("{name}(...arguments: any[]): any;\n"),
        Body::Asynchronous(_) => format!("{name}(...arguments: any[]): Promise<any>;\n"),
    };
    functions.functions.iter().map(member).collect()
}
