//! Reads queries, one a line, and prints what each asks for.
fn main() -> std::io::Result<()> {
    let limits = ghost_lucene::Limits::default();
    for line in std::io::stdin().lines() {
        let line = line?;
        match ghost_lucene::parse(&line, &limits).and_then(|group| ghost_lucene::analyse(&group, &limits)) {
            Ok(query) => println!("{query}"),
            Err(error) => println!("{:?} {}: {error}", error.code, error.position),
        }
    }
    Ok(())
}
