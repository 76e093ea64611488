// console: [Function: named] [Function (anonymous)] [AsyncFunction: later] [GeneratorFunction: each] [AsyncGeneratorFunction: eachLater]
// console: [class Base] [class Derived extends Base] [class (anonymous)]
// console: [Function: max]
export function main() {
  class Base {}
  class Derived extends Base {}
  console.log(
    function named() {},
    () => {},
    async function later() {},
    function* each() {},
    async function* eachLater() {},
  );
  console.log(Base, Derived, class {});
  console.log(Math.max);
}
