// Indexes the documents, and gives for each query the places of those that it finds, or why it is refused.
export function main({ documents, queries }) {
  const places = new Map();
  documents.forEach((document, place) => {
    g.search.index(document);
    places.set(`${document._collection}\n${document._key}`, place);
  });
  return queries.map((query) => {
    try {
      const found = g.search.query(query, { limit: documents.length });
      return { found: found.map(({ collection, key }) => places.get(`${collection}\n${key}`)) };
    } catch (error) {
      if (error.code !== "QUERY_SYNTAX" && error.code !== "LIMIT") throw error;
      return { refused: `${error.code} ${error.message}` };
    }
  });
}
