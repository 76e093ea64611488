// exit: 1
// stderr: 15 │   throw new TooLate("no");
// stderr: at main ({file}:15:9)
// stderr lacks: at TooLate
// stderr lacks: at Late

class Late extends Error {}
class TooLate extends Late {
  constructor(message) {
    super(message);
  }
}

export function main() {
  throw new TooLate("no");
}
