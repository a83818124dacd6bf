/**
 * The requests and answers of `handle()`.
 */

/** A request as an HTTP front would pass it on. */
export interface KernelRequest {
  /** GET, LIST, POST, PUT, DELETE. */
  readonly method: string
  /** A URL path such as `/v1/transit/encrypt/orders`, percent-encoded, without the query. */
  readonly path: string
  /** GET, LIST and DELETE take their parameters from here; a repeated parameter is a list. */
  readonly query?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined
  /**
   * POST and PUT: parsed JSON, or the bytes of a JSON text. Do not change a large one (4,096 values, 128 KiB) before the answer is there.
   */
  readonly body?: unknown
  /** The caller's address, which bound CIDRs are checked against. */
  readonly remoteAddress?: string | undefined
  /** Ends the wait of a blocking read; nothing else is ended by it. */
  readonly signal?: AbortSignal | undefined
}

export interface KernelResponse {
  /** The HTTP status. */
  readonly status: number
  /** Names in lower case, with their values. */
  readonly headers: Readonly<Record<string, string>>
  /** Plain JSON, or a text that is the whole body as it is; absent with status 204. */
  readonly body?: unknown
}

export interface Naming {
  /**
   * The prefix of ciphertexts, signatures and HMACs: `<prefix>:v1:...`. Default `strongroom`; `vault` reads and writes the original's.
   */
  readonly ciphertextPrefix: string
  /**
   * The prefix of the kernel's own headers: `<prefix>-Token`, `<prefix>-Namespace`. Default `X-Service`; `X-Vault` is the
   * original's.
   */
  readonly headerPrefix: string
}
