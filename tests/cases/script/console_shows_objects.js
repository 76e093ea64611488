// console: {}
// console: { a: 1, b: "two", c: null, d: undefined }
// console: { "3": 4, "with space": 1, valid_name: 2, "é": 5 }
// console: { nested: { deep: { deeper: true } } }
// console: {
// console:   method: [Function: method],
// console:   arrow: [Function: arrow],
// console:   later: [AsyncFunction: later],
// console:   each: [GeneratorFunction: each]
// console: }
// console: { both: [Getter/Setter], read: [Getter], write: [Setter] }
export function main() {
  console.log({});
  console.log({ a: 1, b: "two", c: null, d: undefined });
  console.log({ "with space": 1, valid_name: 2, 3: 4, "é": 5 });
  console.log({ nested: { deep: { deeper: true } } });
  console.log({ method() {}, arrow: () => {}, async later() {}, *each() {} });
  console.log({
    get both() {
      return 1;
    },
    set both(v) {},
    get read() {
      return 1;
    },
    set write(v) {},
  });
}
