//! Runs one script for many inputs, on all cores: a pool of workers takes the inputs from a channel.
//!
//! ```sh
//! cargo run --release --example workers
//! ```

use std::{error::Error, sync::Arc, thread};

use ghost::{Host, Instances, RunOptions, Script};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{Mutex, mpsc},
    task::JoinSet,
};

/// The input of the script.
#[derive(Serialize)]
struct Order {
    id: u32,
    prices: Vec<f64>,
}

/// Its result.
#[derive(Debug, Deserialize)]
struct Invoice {
    id: u32,
    total: f64,
}

const SOURCE: &str = "export function main({ id, prices }) {
  if (prices.length === 0) throw new RangeError(`order ${id} is empty`);
  return { id, total: prices.reduce((sum, price) => sum + price, 0) };
}";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let workers = thread::available_parallelism()?.get();
    // Each worker has the memory of its runs ready.
    let host = Host::builder().instances(Instances::Pool(u32::try_from(workers)?)).build()?;
    let script = Script::from_source(&host, "invoice.js", SOURCE).await?;

    let (sender, orders) = mpsc::channel::<Order>(100);
    let orders = Arc::new(Mutex::new(orders));
    let mut pool = JoinSet::new();
    for _ in 0..workers {
        let (host, script, orders) = (host.clone(), script.clone(), Arc::clone(&orders));
        pool.spawn(async move {
            let mut invoices = Vec::new();
            loop {
                let Some(order) = orders.lock().await.recv().await else { return Ok::<_, ghost::Error>(invoices) };
                let outcome = host.run(&script, RunOptions::default().with_argument(&order)?).await;
                match outcome.value::<Invoice>() {
                    Ok(invoice) => invoices.push(invoice),
                    Err(error) => eprintln!("{error}"),
                }
            }
        });
    }
    for id in 0..1_000 {
        sender.send(Order { id, prices: vec![1.5; id as usize % 10] }).await?;
    }
    drop(sender);

    let mut invoices = Vec::new();
    while let Some(done) = pool.join_next().await {
        invoices.extend(done??);
    }
    invoices.sort_by_key(|invoice| invoice.id);
    let total: f64 = invoices.iter().map(|invoice| invoice.total).sum();
    println!("{} invoices, {total} in total", invoices.len());
    Ok(())
}
