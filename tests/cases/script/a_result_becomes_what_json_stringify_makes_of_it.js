// stdout: {"date":"1970-01-01T00:00:00.000Z","nan":null,"list":[null,null],"map":{},"custom":"mine"}
// console: the result's map is a Map, which JSON shows as {}
export function main() {
  return {
    date: new Date(0),
    gone: undefined,
    nan: NaN,
    list: [undefined, () => {}],
    map: new Map([[1, 2]]),
    custom: { toJSON: () => "mine" },
    method() {},
  };
}
