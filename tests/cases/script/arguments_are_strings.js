// arguments: a 1 --flag -x {"json":true} ü
// stdout: ["a","1","--flag","-x","{\"json\":true}","ü"]
export function main(...values) {
  return values;
}
