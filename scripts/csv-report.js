// ghost run --input @scripts/data/packages.csv scripts/csv-report.js section size
//
// Groups the rows of any CSV file by one column and adds up another. Shows a table and returns its rows.

export function main(rows, group, sum) {
  if (!Array.isArray(rows) || rows.length === 0) throw new TypeError("give it rows: --input @FILE.csv");
  for (const column of [group, sum]) {
    if (!Object.hasOwn(rows[0], column)) {
      throw new RangeError(`there is no column ${column}, there are ${Object.keys(rows[0]).join(", ")}`);
    }
  }
  const report = Object.entries(Object.groupBy(rows, (row) => row[group]))
    .map(([name, members]) => line(name, members.map((row) => Number(row[sum]))))
    .sort((a, b) => b.total - a.total);
  console.table(report);
  return report;
}

function line(name, values) {
  const total = values.reduce((a, b) => a + b, 0);
  return { name, rows: values.length, total, mean: Math.round(total / values.length), largest: Math.max(...values) };
}
