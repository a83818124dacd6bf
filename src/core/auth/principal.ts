/**
 * Who asks, and what for. Room: core/auth. Imported by the path view.
 *
 * The typed API speaks with the embedding application's own authority and asks nobody. A request to `handle()` speaks with that of its
 * token: it is looked up once, then judged per operation and path.
 */

/** What is asked, in the words of a policy. */
export type Capability = 'create' | 'read' | 'update' | 'delete' | 'list' | 'patch'

/** A caller whose token was found. */
export interface Principal {
  /** @throws KernelError 403 when this caller may not. */
  authorize(capability: Capability | undefined, path: string): void
}

/** May do everything. */
export const ROOT: Principal = { authorize: () => {} }
