// console: Point { x: 1 } Point3 { x: 2 } Named [Tag] {}
// console: [ Point { x: 3 } ] { point: Point { x: 4 } }
// console: [Object: null prototype] {} [Object: null prototype] { a: 1 }
// console: {} Point {}
export function main() {
  class Point {
    #secret = 1;
    constructor(x) { this.x = x; }
  }
  class Point3 extends Point {}
  class Named {
    get [Symbol.toStringTag]() { return "Tag"; }
  }
  console.log(new Point(1), new Point3(2), new Named());
  console.log([new Point(3)], { point: new Point(4) });
  console.log(Object.create(null), Object.assign(Object.create(null), { a: 1 }));
  console.log(Object.create({ inherited: 1 }), Object.create(Point.prototype));
}
