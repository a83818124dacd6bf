/** A source is a JSON document of the operator's page with data that the HTTP API does not have. */

/** A request for a source. */
export interface UiVisitor {
  /** The token of the visitor; undefined if the request has none. */
  readonly token: string | undefined
  /** The address of the visitor, for tokens that are bound to networks. */
  readonly remoteAddress: string | undefined
  /** The last entry of the page before the requested one, as the source has returned it in `next`; undefined for the first page. */
  readonly after: string | undefined
}

export interface UiAnswer {
  /** The HTTP status. A refusal has the status of the kernel's own refusal. */
  readonly status: number
  /** JSON. A refusal is an object with the member `errors`, as in the HTTP API. */
  readonly body: unknown
}

/** Authorizes the visitor and returns the document. If the promise rejects, the page gets a response with status 500. */
export type UiSource = (visitor: UiVisitor) => Promise<UiAnswer>

export const UI_SOURCE_NAMES = ['status', 'leases', 'audit'] as const

export type UiSourceName = (typeof UI_SOURCE_NAMES)[number]

/** The sources of a server by name. The page shows that the server does not offer the sources that are missing. */
export type UiSources = Readonly<Partial<Record<UiSourceName, UiSource>>>
