// stdout: [9007199254740991,1e+21,-0.000001,1e-7]
export function main() {
  return [Number.MAX_SAFE_INTEGER, 1e21, -0.000001, 1e-7];
}
