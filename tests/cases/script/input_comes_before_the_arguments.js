// input: {"name":"Ada","list":[1,null,true]}
// arguments: a b
// stdout: [{"name":"Ada","list":[1,null,true]},"a","b"]
export function main(...values) {
  return values;
}
