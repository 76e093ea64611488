const hostile = [
  "/((((a{30}){30}){30}){30})/",
  "/(a*)*(a*)*(a*)*(a*)*b/",
  "/.{250}/",
  "/(.*a){60}/",
  "/[^a]{100}[^b]{100}/",
  "/(a|b|c|d|e|f|g)*x{99}/",
  "*a*a*a*a*a*a*a*a*a*a*a*a*b",
  "????????????????????????*",
  `${"a?".repeat(300)}*`,
  "a~2 b~2 c~2 d~2 e~2",
  `${"a".repeat(255)}~2`,
  `*${"*a".repeat(500)}`,
  `/${"(a|aa)".repeat(40)}/`,
  `/${".?".repeat(120)}/`,
];
export function main() {
  for (let i = 0; i < 200; i++)
    g.search.index({ _key: `k${i}`, _collection: "c", text: `${"ab".repeat(i % 100)} word${i}` });
  for (const query of hostile) {
    const start = performance.now();
    let answer = "found";
    try {
      g.search.query(query);
    } catch (error) {
      answer = error.code;
    }
    assert.ok(
      ["found", "LIMIT", "QUERY_SYNTAX"].includes(answer),
      `${query.slice(0, 50)}: ${answer}`,
    );
    assert.ok(
      performance.now() - start < 5000,
      `${query.slice(0, 50)} took ${performance.now() - start} ms`,
    );
  }
}
