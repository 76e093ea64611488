// exit: 1
// stderr: PaymentError: no funds
class PaymentError extends Error {
  name = "PaymentError";
}
export function main() {
  throw new PaymentError("no funds");
}
