// console: { list: [ 1, "two" ] }
export function main() {
  const broken = () => {
    throw new Error("not for the console");
  };
  Object.keys =
    Array.prototype.map =
    Array.prototype.join =
    String.prototype.replace =
    Array.prototype.push =
      broken;
  JSON.stringify = Array.isArray = Map.prototype.entries = broken;
  console.log({ list: [1, "two"] });
}
