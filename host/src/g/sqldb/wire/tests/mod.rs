//! Servers that lie: each conversation ends with a value or an error, whatever is sent, and little is kept of it.

mod random;
mod server;

use std::sync::Arc;

use postgres_protocol::message::backend;
use postgres_types::Type as Builtin;
use server::*;
use tokio::time::Instant;

use super::{Client, Error, Execution, Format, Status, Type};
use crate::{
    Limits, Origin,
    gate::{ByteCounter, Connections, Gate},
};

/// What is kept of a server's messages at the most, in bytes, where none is a row.
const KEPT: usize = 1 << 20;

/// A counter of a run that may keep so many bytes.
fn counter(most: u64) -> ByteCounter {
    let limits = Limits { buffers: most, ..Limits::of(Origin::Local) };
    Gate::new(&limits, Instant::now(), None, Arc::new(Connections::default())).call_for_tests().answer_counter()
}

/// A client that is logged in; the next requests get these answers.
async fn with(answers: &[Vec<u8>]) -> Client {
    client(answering([&[welcome()], answers].concat())).await.unwrap()
}

fn is_protocol(error: &Error) -> bool {
    matches!(error, Error::Protocol(_))
}

/// Carries out a statement and counts its rows.
async fn rows(client: &mut Client, counter: &mut ByteCounter) -> super::error::Result<usize> {
    let execution = Execution { sql: "select", types: &[], values: &[Some("1"), None], formats: &[Format::Binary] };
    client.execute(&execution).await?;
    let mut count = 0;
    while let Some(row) = client.row(Some(counter)).await? {
        count += row.columns;
    }
    Ok(count)
}

#[tokio::test]
async fn a_conversation_that_is_right_is_understood() {
    let fields = [(23, 1), (25, 1)];
    let one = row(&[Some(&7_i32.to_be_bytes()), None]);
    let mut client = with(&[described(&[23, 25], &[23, 25]), carried_out(&fields, &[one.clone(), one])]).await;
    let description = client.describe("select").await.unwrap();
    assert_eq!(description.parameters, [23, 25]);
    assert_eq!(description.columns[1].name, "c1");
    assert_eq!(rows(&mut client, &mut counter(0)).await.unwrap(), 4);
    assert_eq!((client.affected(), client.is_running(), client.status()), (1, false, Status::Idle));
    assert!(matches!(client.describe("select").await, Err(Error::Io(_))), "the server has hung up");
    assert!(client.is_closed());
}

#[tokio::test]
async fn an_answer_that_is_cut_anywhere_is_an_error() {
    let whole = [welcome(), described(&[23], &[25]), carried_out(&[(25, 0)], &[row(&[Some(b"x")])])];
    for (at, answer) in whole.iter().enumerate() {
        for length in 0..answer.len() {
            let mut answers = whole[..at].to_vec();
            answers.push(answer[..length].to_vec());
            let ended = async {
                let mut client = client(answering(answers)).await?;
                client.describe("select").await?;
                rows(&mut client, &mut counter(0)).await
            };
            assert!(matches!(ended.await, Err(Error::Io(_))), "answer {at} of {length} bytes");
        }
    }
}

#[tokio::test]
async fn a_length_is_looked_at_before_there_is_room_for_it() {
    for tag in 0..=u8::MAX {
        for length in [i32::MIN, -1, 0, 3, 1 << 20, 1 << 30, i32::MAX] {
            let mut client = with(&[[&[tag][..], &length.to_be_bytes(), &[0; 100]].concat()]).await;
            let mut counter = counter(1 << 20);
            assert!(rows(&mut client, &mut counter).await.is_err(), "{tag} {length}");
            assert!(client.inbox.capacity() <= KEPT + (1 << 20), "{tag} {length}: {}", client.inbox.capacity());
        }
    }
}

#[tokio::test]
async fn what_comes_unasked_is_not_kept() {
    let many = |one: Vec<u8>| one.repeat(100_000);
    let mut answers = [
        [authentication(0, &[]), many(parameter("name", "value")), many(notice(10)), ready()].concat(),
        [notice(5_000_000), described(&[], &[23])].concat(),
        [ready(), notice(200_000)].concat(),
    ]
    .into_iter();
    // It does not hang up.
    let mut client = client(serve(64 << 10, move |_| answers.next())).await.unwrap();
    assert!(client.inbox.capacity() <= KEPT);
    assert!(client.describe("select").await.is_ok());
    assert!(client.inbox.capacity() <= KEPT);
    assert!(client.batch_execute("select").await.is_ok());
    // More between two requests than a server has to say.
    while !client.is_closed() {
        tokio::task::yield_now().await;
    }
    let long = parameter("name", &"x".repeat(70_000));
    let refused = with(&[long]).await.describe("select").await.unwrap_err();
    assert!(is_protocol(&refused), "{refused:?}");
}

#[tokio::test]
async fn of_a_long_error_the_beginning_is_kept() {
    let long = error("ERROR", "P0001", &"é".repeat(5_000_000));
    let mut client = with(&[[long, ready()].concat(), described(&[], &[23])]).await;
    let Err(Error::Server(answer)) = client.describe("select").await else { panic!("it is an error") };
    assert_eq!((answer.code.as_str(), answer.is_fatal()), ("P0001", false));
    assert!(answer.message.starts_with("éé") && answer.message.len() < 70_000);
    assert!(client.inbox.capacity() <= KEPT);
    assert!(client.describe("select").await.is_ok(), "the connection is as good as before");
}

#[tokio::test]
async fn rows_are_counted_where_they_arrive() {
    let long = row(&[Some(&[b'x'; 100_000])]);
    let answer = carried_out(&[(25, 0)], &[long.clone(), long.clone(), long]);
    let mut client = with(&[answer.clone(), answer]).await;
    // One after the other has room, and what they took is given back.
    let mut counter = self::counter(150_000);
    assert_eq!(rows(&mut client, &mut counter).await.unwrap(), 3);
    counter.grow(150_000).unwrap();
    counter.shrink(100_000);
    let refused = rows(&mut client, &mut counter).await.unwrap_err();
    assert!(matches!(&refused, Error::Limit(error) if error.code == crate::ErrorCode::Limit), "{refused:?}");
    assert!(client.is_running(), "the connection is not to be used again");
}

#[tokio::test]
async fn what_is_not_wanted_of_rows_is_not_kept() {
    let long = row(&[Some(&[b'x'; 1_000_000])]);
    let mut client = with(&[carried_out(&[(25, 0)], &[long.clone(), long])]).await;
    let execution = Execution::<&str> { sql: "select", types: &[], values: &[], formats: &[] };
    client.execute(&execution).await.unwrap();
    client.pass_rows().await.unwrap();
    assert!(client.inbox.capacity() <= KEPT && !client.is_running());
}

#[tokio::test]
async fn why_the_server_ended_an_idle_connection_is_told() {
    let gone = [complete("SELECT"), ready(), error("FATAL", "57P01", "terminating connection")].concat();
    for between in [true, false] {
        let mut client = with(std::slice::from_ref(&gone)).await;
        client.batch_execute("select").await.unwrap();
        if between {
            while !client.is_closed() {
                tokio::task::yield_now().await;
            }
        }
        let Err(Error::Server(told)) = client.describe("select").await else { panic!("it is told") };
        assert_eq!((told.code.as_str(), told.is_fatal()), ("57P01", true));
        assert_eq!(client.closing_error().map(|words| words.code.as_str()), Some("57P01"));
        assert!(client.is_closed());
    }
}

/// Answers each look-up of types with what a function says of each number: its items' type and its base.
fn types_of(mut told: impl FnMut(u32) -> (Option<u32>, Option<u32>) + Send + 'static) -> tokio::io::DuplexStream {
    let mut is_first = true;
    serve(64 << 10, move |asked| {
        if std::mem::take(&mut is_first) {
            return Some(welcome());
        }
        let asked = String::from_utf8(asked).ok()?;
        let (_, list) = asked.rsplit_once("IN (")?;
        let digits = |number: u32| number.to_string().into_bytes();
        let rows: Vec<_> = list
            .trim_end_matches(['\0', ')'])
            .split(',')
            .map(|oid| {
                let oid: u32 = oid.parse().unwrap();
                let (item, base) = told(oid);
                let (item, base) = (item.map(digits), base.map(digits));
                row(&[Some(&digits(oid)), item.as_deref(), base.as_deref(), Some(b",")])
            })
            .collect();
        Some(small(&[(26, 0); 4], &rows))
    })
}

#[tokio::test]
async fn types_that_name_each_other_are_looked_up_within_bounds() {
    type Lie = fn(u32) -> (Option<u32>, Option<u32>);
    let lies: [Lie; 6] = [
        |oid| (Some(oid + 1), None),
        |oid| (None, Some(oid + 1)),
        |oid| (Some(oid), None),
        |oid| (None, Some(oid)),
        |oid| (None, Some(oid ^ 1)),
        |oid| (Some(oid.wrapping_mul(7)), Some(oid.wrapping_mul(11))),
    ];
    for lie in lies {
        let mut client = client(types_of(lie)).await.unwrap();
        let refused = client.types(&[70_000]).await.unwrap_err();
        assert!(matches!(refused, Error::Limit(_)), "{refused:?}");
        assert!(!client.is_running(), "the connection is as good as before");
    }
    let mut client = client(types_of(|_| (None, None))).await.unwrap();
    let many: Vec<u32> = (70_000..71_001).collect();
    assert!(matches!(client.types(&many).await, Err(Error::Limit(_))));
    assert_eq!(client.types(&many[1..]).await.unwrap().len(), 1_000);
}

#[tokio::test]
async fn a_type_is_what_the_catalogue_says_of_it() {
    // An array of a domain of an array of a domain of a number.
    let told = |oid| match oid {
        70_000 => (Some(70_001), None),
        70_001 => (None, Some(70_002)),
        70_002 => (Some(70_003), None),
        70_003 => (None, Some(23)),
        _ => (None, None),
    };
    let mut client = client(types_of(told)).await.unwrap();
    let array = |item: Type, oid| Type::Array { item: Arc::new(item), oid, separator: ',' };
    let expected = array(array(Builtin::INT4.into(), 70_003), 70_001);
    assert_eq!(
        client.types(&[70_000, 25, 80_000]).await.unwrap(),
        [expected, Builtin::TEXT.into(), Type::Other(80_000)]
    );
}

#[tokio::test]
async fn a_login_asks_for_no_more_than_is_bearable() {
    let asked = authentication(10, &[text("SCRAM-SHA-256"), vec![0]].concat());
    for iterations in ["0", "100001", "4294967295", "4294967296", "-1", "x"] {
        let iterations = iterations.to_owned();
        let mut step = 0;
        let asked = asked.clone();
        let stream = serve(64 << 10, move |request| {
            step += 1;
            match step {
                1 => Some(asked.clone()),
                2 => {
                    let request = String::from_utf8_lossy(&request).into_owned();
                    let (_, nonce) = request.split_once("n=,r=")?;
                    Some(authentication(11, format!("r={nonce}x,s=c2FsdA==,i={iterations}").as_bytes()))
                }
                _ => Some(authentication(12, b"v=AAAA")),
            }
        });
        let refused = client(stream).await.err().unwrap();
        assert!(is_protocol(&refused), "{refused:?}");
    }
    for kind in [2, 6, 7, 8, 9, 99] {
        let refused = client(answering(vec![authentication(kind, &[])])).await.err().unwrap();
        assert!(matches!(refused, Error::Unsupported(_) | Error::Protocol(_)), "{refused:?}");
    }
}

#[tokio::test]
async fn what_comes_while_rows_are_sent_is_read() {
    // Neither takes a byte of the other's before its own are taken: 4 KiB are under way at the most.
    let (ours, theirs) = tokio::io::duplex(4 << 10);
    let server = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut server = theirs;
        let mut start = vec![0; 4];
        server.read_exact(&mut start).await.unwrap();
        let mut rest = vec![0; u32::from_be_bytes(start.try_into().unwrap()) as usize - 4];
        server.read_exact(&mut rest).await.unwrap();
        server.write_all(&welcome()).await.unwrap();
        let mut query = vec![0; 5 + "copy\0".len()];
        server.read_exact(&mut query).await.unwrap();
        server.write_all(&message(backend::COPY_IN_RESPONSE_TAG, &[0; 3])).await.unwrap();
        server.write_all(&notice(500).repeat(2_000)).await.unwrap();
        let mut data = vec![0; 5 + 1_000_000 + 5];
        server.read_exact(&mut data).await.unwrap();
        server.write_all(&[complete("COPY 1"), ready()].concat()).await.unwrap();
    });
    let mut client = client(ours).await.unwrap();
    client.copy_in("copy").await.unwrap();
    client.copy_send(&vec![b'x'; 1_000_000]).await.unwrap();
    assert_eq!(client.copy_end().await.unwrap(), 1);
    server.await.unwrap();
}

#[tokio::test]
async fn a_request_that_is_dropped_leaves_something_running() {
    let mut client = client(serve(64 << 10, {
        let mut is_first = true;
        move |_| Some(if std::mem::take(&mut is_first) { welcome() } else { Vec::new() })
    }))
    .await
    .unwrap();
    {
        let mut request = std::pin::pin!(client.batch_execute("select"));
        assert!(futures_util::poll!(request.as_mut()).is_pending());
    }
    assert!(client.is_running());
    let refused = client.describe("select").await.unwrap_err();
    assert!(is_protocol(&refused), "nothing else is read in its place");
}

#[tokio::test]
async fn a_session_that_would_change_values_is_not_used() {
    let mut client = with(&[[complete("SET"), parameter("client_encoding", "LATIN1"), ready()].concat()]).await;
    assert!(is_protocol(&client.batch_execute("set").await.unwrap_err()));
    let floating = [authentication(0, &[]), parameter("integer_datetimes", "off"), ready()].concat();
    assert!(is_protocol(&self::client(answering(vec![floating])).await.err().unwrap()));
}
