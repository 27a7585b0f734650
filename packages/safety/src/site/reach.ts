/** How a client gets to the servers: the proxies that stand between, not the servers themselves. Crosses to the workers as JSON. */
export type Reach =
  | { readonly kind: 'single'; readonly at: Address }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly Address[];
      readonly name: string;
      /** From the address of a server, `host:port`, to that of the proxy in front of it. */
      readonly natMap: Readonly<Record<string, Address>>;
    }
  | {
      readonly kind: 'cluster';
      readonly nodes: readonly Address[];
      readonly natMap: Readonly<Record<string, Address>>;
    }
  | { readonly kind: 'majority'; readonly nodes: readonly Address[] };

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** The user that workers log in as: what it may do can be taken away while the campaign keeps its own rights. */
export const WORKER_USER = 'app';
