/** A request for `handle()`, as an HTTP server receives it. */
export interface KernelRequest {
  /** GET, LIST, POST, PUT, PATCH, DELETE or HEAD. */
  readonly method: string
  /** A URL path such as `/v1/transit/encrypt/orders`, percent-encoded, without the query. */
  readonly path: string
  /** The parameters of GET, LIST and DELETE. A repeated parameter is a list. */
  readonly query?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** Header names in any case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined
  /**
   * The parsed JSON body, or the bytes of the JSON text. Do not change a large body (more than 4,096 values or 128 KiB) before the response
   * arrives, because it is read in several steps.
   */
  readonly body?: unknown
  /** The caller's IP address. It is compared with the networks to which a token or role is bound. */
  readonly remoteAddress?: string | undefined
  /** Aborting it ends the wait of a blocking read. A request that is not a blocking read ignores the signal. */
  readonly signal?: AbortSignal | undefined
}

export interface KernelResponse {
  /** The HTTP status. */
  readonly status: number
  /** Values by header name, such as `Content-Type`. */
  readonly headers: Readonly<Record<string, string>>
  /** Plain JSON, or a string that is the entire body. Absent with status 204. */
  readonly body?: unknown
}

export interface Naming {
  /**
   * The prefix of ciphertexts, signatures and HMACs: `<prefix>:v1:...`. Default: `strongroom`. With `vault`, the kernel reads and writes
   * Vault's ciphertexts, signatures and HMACs.
   */
  readonly ciphertextPrefix: string
  /** The prefix of the kernel's own headers: `<prefix>-Token`, `<prefix>-Namespace`. Default: `X-Service`; Vault uses `X-Vault`. */
  readonly headerPrefix: string
}
