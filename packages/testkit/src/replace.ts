/** Answers how to undo it. */
export function replace<T extends object, K extends keyof T>(owner: T, key: K, value: T[K]): () => void {
  const before = owner[key];
  owner[key] = value;
  return () => {
    owner[key] = before;
  };
}
