use proptest::prelude::*;

use super::*;

fn options(world: World) -> Options<'static> {
    Options { world, name: "hello.js", source: "export const main = () => 1", with_source: true }
}

#[test]
fn the_script_of_a_bundle_is_recognized() {
    for world in [World::Script, World::LocalScript] {
        for length in [0, 1, 200, 70_000, 3 << 20] {
            let bytecode: Vec<u8> = (0..length).map(|at: usize| at.to_le_bytes()[0] ^ at.to_le_bytes()[1]).collect();
            let bundle = make(&bytecode, &options(world));
            assert_eq!(recognize(&bundle), Some((world, &bytecode[..])), "{length} bytes");
        }
    }
}

#[test]
fn a_bundle_says_what_it_is() {
    let bundle = make(b"code", &options(World::LocalScript));
    assert_eq!(source(&bundle), Some("export const main = () => 1"));
    let details = details(&bundle).unwrap();
    assert_eq!((details.name.as_str(), details.world), ("hello.js", World::LocalScript));
    assert_eq!(details.sha256, "91a660eaa880dab06ab6e2acd77497a49da73fe63e32937fdeae5067aacddcca");
    let without = make(b"code", &Options { with_source: false, ..options(World::LocalScript) });
    assert_eq!(source(&without), None);
    assert!(recognize(&without).is_some());
}

#[test]
fn a_bundle_imports_what_its_world_allows() {
    let imports = |world| imports(&make(b"code", &options(world)));
    let external =
        |name: &String| Namespace::external().any(|one| name.starts_with(&format!("ghost:g/{}@", one.name())));
    assert_eq!(imports(World::Script).iter().filter(|name| external(name)).count(), Namespace::external().count());
    assert!(!imports(World::LocalScript).iter().any(external));
    assert!(!imports(World::Script).iter().any(|name| name.starts_with("ghost:g/program")));
}

#[test]
fn the_world_is_that_of_the_names_in_the_source() {
    assert_eq!(World::for_source("g.sqldb.query('db', 'select 1')"), World::Script);
    assert_eq!(World::for_source("const { clustersearch } = g"), World::Script);
    assert_eq!(World::for_source("g.store.put('a', 'b', 1)"), World::LocalScript);
}

proptest! {
    /// A changed byte outside of the bytecode makes another component.
    #[test]
    fn a_changed_bundle_is_not_recognized_as_another_script(at in any::<prop::sample::Index>(), change in 1..=255_u8) {
        let bytecode = b"the bytecode of a script";
        let mut bundle = make(bytecode, &options(World::LocalScript));
        let at = at.index(bundle.len());
        bundle[at] ^= change;
        if let Some((world, other)) = recognize(&bundle) {
            prop_assert_eq!(world, World::LocalScript);
            let changed = other.iter().zip(bytecode).filter(|(one, other)| one != other).count();
            let custom = bundle.len() - at <= 400;
            prop_assert!(changed == 1 || custom, "the byte at {} of {}", at, bundle.len());
        }
    }

    /// Whatever the bytes are, they are read without a panic.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let whole = [b"\0asm\x0d\0\x01\0", &bytes[..]].concat();
        for bytes in [&bytes, &whole] {
            prop_assert!(recognize(bytes).is_none());
            let _ = (details(bytes), source(bytes), imports(bytes));
        }
    }
}
