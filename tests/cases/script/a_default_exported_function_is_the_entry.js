// stdout: "default"
export default function () {
  return "default";
}
