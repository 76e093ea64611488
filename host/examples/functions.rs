//! Adds functions to `g`: a namespace `g.billing` with a synchronous and an asynchronous function. The functions know for which
//! tenant a script calls them, because each run has a context.
//!
//!     cargo run --release --example functions

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use ghost::{Error, ErrorCode, Host, Origin, RunOptions, Script, functions::Functions};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

/// The context of a run.
struct Tenant {
    name: &'static str,
    balance: Mutex<f64>,
}

#[derive(Deserialize)]
struct Order {
    amount: f64,
    currency: String,
}

#[derive(Serialize)]
struct Receipt {
    tenant: &'static str,
    left: f64,
}

/// The declarations of `g.billing`, for editors.
const TYPES: &str = "\
/** Returns the price of one unit of a currency in dollars. */
rate(currency: string): number;
/** Charges the tenant of the run. */
charge(order: { amount: number; currency: string }): Promise<{ tenant: string; left: number }>;";

fn rate(currency: &str) -> Result<f64, Error> {
    match currency {
        "EUR" => Ok(1.25),
        "USD" => Ok(1.0),
        // The script receives a RangeError with this message.
        _ => Err(Error::invalid(format!("there is no rate for {currency:?}"))),
    }
}

async fn charge(tenant: &Tenant, order: Order) -> Result<Receipt, Error> {
    let price = order.amount * rate(&order.currency)?;
    sleep(Duration::from_millis(1)).await; // for example, a request to a payment service
    let Ok(mut balance) = tenant.balance.lock() else { return Err(Error::new(ErrorCode::Internal, "no balance")) };
    if *balance < price {
        // The script receives a GError with this code.
        return Err(Error::new(ErrorCode::Limit, format!("the order costs {price}, and {} is left", *balance)));
    }
    *balance -= price;
    Ok(Receipt { tenant: tenant.name, left: *balance })
}

fn billing() -> Functions {
    Functions::new("billing")
        .function("rate", |call| {
            let (currency,): (String,) = call.arguments()?;
            rate(&currency)
        })
        .async_function("charge", |call| async move {
            let (order,): (Order,) = call.arguments()?;
            charge(call.context()?, order).await
        })
        .types(TYPES)
}

const SCRIPT: &str = r#"
export async function main() {
  const price = 10 * g.billing.rate("EUR");
  const { tenant, left } = await g.billing.charge({ amount: 10, currency: "EUR" });
  return `${tenant} paid ${price}, and has ${left} left`;
}
"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let host = Host::builder().functions(billing()).build()?;
    let script = Script::from_source(&host, "order.js", SCRIPT).await?;
    for (name, balance) in [("Ada", 100.0), ("Zoe", 5.0)] {
        let tenant = Arc::new(Tenant { name, balance: Mutex::new(balance) });
        let options = RunOptions { context: Some(tenant), ..RunOptions::of(Origin::Local) };
        match host.run(&script, options).await.result {
            Ok(result) => println!("{}", result.unwrap_or_default()),
            Err(failure) => println!("{name}: {failure}"),
        }
    }
    // An editor that has this file knows g.billing.
    assert!(host.declarations().contains("rate(currency: string): number;"));
    Ok(())
}
