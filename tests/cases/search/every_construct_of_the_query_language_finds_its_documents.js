const documents = {
  tea: {
    title: "Green tea",
    text: "the quick brown fox jumps",
    year: 2001,
    price: 9.5,
    day: "2024-03-01T10:00:00Z",
    hot: true,
  },
  pot: {
    title: "Teapot",
    text: "a brown quick dog",
    year: 1999,
    price: -2,
    day: "2023-12-31",
    empty: "",
  },
  test: {
    title: "Test of roam and foam",
    text: "foo-bar user@example.com",
    year: 10,
    "author.name": "Annie Smith",
  },
};
const cases = {
  "tea": "tea",
  "TEA": "tea",
  "quick brown": "pot tea",
  "quick AND jumps": "tea",
  "quick && jumps": "tea",
  "jumps OR roam": "tea test",
  "jumps || roam": "tea test",
  "+quick -fox": "pot",
  "quick !fox": "pot",
  "quick AND NOT fox": "pot",
  "NOT quick": "test",
  "-quick": "test",
  "(jumps OR dog) AND quick": "pot tea",
  "title:tea": "tea",
  "title:(tea teapot)": "pot tea",
  '"quick brown"': "tea",
  '"brown quick"': "pot",
  '"quick fox"~1': "tea",
  "te?t": "test",
  "te*": "pot tea test",
  "*pot": "pot",
  "t*a": "tea",
  "roam~": "test",
  "roan~1": "test",
  "raom~1": "test",
  "year:[1999 TO 2001]": "pot tea",
  "year:{1999 TO 2001}": "",
  "year:{1999 TO 2001]": "tea",
  "year:[* TO 10]": "test",
  "year:>=1999": "pot tea",
  "year:<100": "test",
  "price:[\\-5 TO 0]": "pot",
  "price:>9": "tea",
  "day:[2024-01-01 TO 2024-12-31]": "tea",
  "day:{* TO 2024}": "pot",
  "tea^2 dog": "pot tea",
  "/te(a|st)/": "tea test",
  "title:/TEA/": "",
  "*:*": "pot tea test",
  "price:*": "pot tea",
  "_exists_:empty": "pot",
  "empty:[* TO *]": "",
  "author:*": "test",
  "author.name:ann*": "test",
  "_key:tea": "tea",
  "_collection:drinks": "pot tea test",
  "hot:true": "tea",
  "true": "tea",
  "2001": "tea",
  "foo-bar": "test",
  "foo\\-bar": "test",
  "foo-b*": "",
  'foo AND "!!"': "test",
  "missing:x": "",
  "[1990 TO 2000]": "pot",
  "example.com": "test",
  "title:te*": "pot tea test",
  "text:*ick": "pot tea",
  'title:"tea green"': "",
};
export function main() {
  for (const [key, fields] of Object.entries(documents))
    g.search.index({ _key: key, _collection: "drinks", ...fields });
  const wrong = Object.entries(cases).map(([query, expected]) => {
    const found = g.search
      .query(query)
      .map(({ key }) => key)
      .sort()
      .join(" ");
    return found === expected
      ? ""
      : `${query} found ${found || "nothing"}, not ${expected || "nothing"}`;
  });
  assert.deepEqual(wrong.filter(Boolean), []);
}
