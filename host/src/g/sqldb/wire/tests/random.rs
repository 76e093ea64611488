//! Conversations that are right but for a few bytes. `GHOST_TEST_LIES` says how many; 10,000 by itself.

use std::{
    env,
    time::{Duration, SystemTime},
};

use fastrand::Rng;
use tokio::time::timeout;

use super::{counter, server::*};
use crate::g::sqldb::{
    connection::Connection,
    execute::Wanted,
    statement::{Scope, Statement},
};

/// What a conversation that ends well is answered: the login, a description, a look-up of types, an answer; then those of
/// a copy and of the catalogue.
fn answers() -> Vec<Vec<u8>> {
    let types = [23, 25, 1700, 1007, 3802, 1184, 17, 701, 70_000, 869];
    let formats = [1, 1, 1, 1, 1, 1, 1, 1, 0, 0];
    let array: Vec<u8> = [1_i32, 0, 23, 1, 1, 4, 7].iter().flat_map(|part| part.to_be_bytes()).collect();
    let numeric: Vec<u8> = [2_u16, 1, 0, 2, 1, 2].iter().flat_map(|part| part.to_be_bytes()).collect();
    let [seven, double] = [7_i32.to_be_bytes().to_vec(), 1.5_f64.to_be_bytes().to_vec()];
    let values: [Option<&[u8]>; 10] = [
        Some(&seven),
        Some("é\"\n".as_bytes()),
        Some(&numeric),
        Some(&array),
        Some(b"\x01{\"a\":[1,null]}"),
        Some(&[0; 8]),
        Some(&[0, 255]),
        Some(&double),
        Some(br#"{a,NULL,{"b\"c"}}"#),
        None,
    ];
    let fields: Vec<_> = types.into_iter().zip(formats).collect();
    let of_type = row(&[Some(b"70000"), Some(b"70001"), None, Some(b",")]);
    let of_item = row(&[Some(b"70001"), None, None, Some(b",")]);
    let names = row(&[Some(b"a"), Some(b"public"), Some(b"t"), Some(b"12")]);
    vec![
        welcome(),
        described(&[25, 1009], &types),
        small(&[(26, 0); 4], &[of_type]),
        small(&[(26, 0); 4], &[of_item]),
        carried_out(&fields, &[row(&values), row(&values)]),
        carried_out(&[(25, 0); 4], &[names]),
    ]
}

/// Changes a few bytes of an answer, or all of them.
fn lie(random: &mut Rng, answers: &mut [Vec<u8>]) {
    for _ in 0..random.usize(1..4) {
        let which = random.usize(..answers.len());
        let answer = &mut answers[which];
        let at = random.usize(..=answer.len());
        let end = (at + random.usize(..20)).min(answer.len());
        match random.u8(..8) {
            0 => answer.truncate(at),
            1 => drop(answer.drain(at..end)),
            2 => drop(answer.splice(at..end, bytes(random, 40))),
            3 => answer.extend_from_within(at..end),
            4 => answer[at..end].fill(if random.bool() { 0 } else { 255 }),
            5 => answer.splice(at..at, i32::MAX.to_be_bytes()).for_each(drop),
            6 => *answer = bytes(random, 2_000),
            _ => answers.swap(which, random.usize(..which + 1)),
        }
    }
}

fn bytes(random: &mut Rng, most: usize) -> Vec<u8> {
    let count = random.usize(..most);
    std::iter::repeat_with(|| random.u8(..)).take(count).collect()
}

async fn talk(answers: Vec<Vec<u8>>) -> Result<String, String> {
    let client = client(answering(answers)).await.map_err(|error| format!("{error:?}"))?;
    let mut connection = Connection::with(client);
    let counter = &mut counter(1 << 20);
    let params = Some(r#"["a",["array",["b",null]]]"#);
    let statement = Statement::read("params", "select", params, Scope::Autocommit).unwrap();
    let answer = connection.run(&statement, Wanted::Rows, counter).await.map_err(|error| error.message)?;
    let tables = connection.tables(None, counter).await.map_err(|error| error.message)?;
    Ok(format!("{} {}", answer.json, tables.len()))
}

/// Where each side waits for the other, the clock goes on by itself, and the call's time is over.
#[tokio::test(start_paused = true)]
async fn a_conversation_with_any_lie_ends() {
    let told = talk(answers()).await.unwrap();
    let first = "[7,s4:é\"\n,";
    assert!(
        told.contains(first)
            && told.contains(
                r#","10002.00",[7],{"a":[1,null]},"2000-01-01T00:00:00.000Z","00ff",1.5,["a",null,["b\"c"]],null]"#
            ),
        "{told}"
    );
    let count: usize = env::var("GHOST_TEST_LIES").ok().map_or(10_000, |count| count.parse().unwrap());
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    println!("seed {seed}");
    let (mut random, mut refused) = (Rng::with_seed(seed), 0);
    for _ in 0..count {
        let mut answers = answers();
        lie(&mut random, &mut answers);
        let ended = timeout(Duration::from_secs(1), talk(answers)).await;
        refused += usize::from(!matches!(ended, Ok(Ok(_))));
    }
    // Some lies are about what nobody looks at.
    assert!(refused > count / 2, "{refused} of {count}");
}

#[tokio::test]
async fn what_was_known_of_a_statement_is_looked_at_again() {
    let execute = |fields: &[(u32, i16)], value: &[u8]| carried_out(fields, &[row(&[Some(value)])]);
    let refused = [error("ERROR", "08P01", "bind message has 1 result formats"), ready()].concat();
    let client = client(answering(vec![
        welcome(),
        described(&[], &[23]),
        execute(&[(23, 1)], &7_i32.to_be_bytes()),
        // It is another type that is known, in the same form.
        execute(&[(25, 1)], b"seven"),
        // It was forgotten: the server is asked again.
        described(&[], &[25]),
        execute(&[(25, 1)], b"VII"),
        // Refused before it began: it is asked, and the statement begins anew.
        refused,
        described(&[], &[25, 25]),
        carried_out(&[(25, 1), (25, 1)], &[row(&[Some(b"a"), Some(b"b")])]),
        // What comes can't be read.
        carried_out(&[(869, 1), (25, 1)], &[row(&[Some(b"\x02\x20\x00\x04...."), None])]),
        described(&[], &[869, 25]),
        carried_out(&[(869, 0), (25, 1)], &[row(&[Some(b"10.0.0.1"), None])]),
    ]))
    .await
    .unwrap();
    let mut connection = Connection::with(client);
    let counter = &mut counter(1 << 20);
    let mut told = Vec::new();
    for _ in 0..6 {
        let statement = Statement::read("params", "select", None, Scope::Autocommit).unwrap();
        let answer = connection.run(&statement, Wanted::Rows, counter).await;
        told.push(answer.map_or_else(|error| error.message, |answer| answer.json.lines().last().unwrap().to_owned()));
    }
    let expected = ["[7]", "[s5:seven]", "[s3:VII]", "[s1:a,s1:b]", "[s8:10.0.0.1,null]"];
    assert!(told[4].starts_with("the statement was executed, but its result columns have changed"), "{}", told[4]);
    told.remove(4);
    assert_eq!(told, expected);
}
