/** A key of holdfast for what is kept at `place`: another one for each kind, in the same Cluster slot. */
export function keyOf(kind: string, place: string): string {
  return hasTag(place) ? `holdfast_tagged_${kind}:${place}` : `holdfast_${kind}:{${place}}`;
}

/** As Redisson looks for it. */
export function hasTag(place: string): boolean {
  return place.includes('{');
}
