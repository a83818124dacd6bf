/**
 * One line of an audit log, in Vault's format with the additional member `chain`.
 *
 * Empty members are omitted. Tokens, accessors and the values in `data` are replaced by `hmac-sha256:<hex>`, an HMAC whose key is the salt
 * of the sink.
 */
import type { LoginRefusalReason } from './login-reason.ts'

export interface AuditAuth {
  readonly client_token?: string
  readonly accessor?: string
  /** `app` for a call from the application's own code. */
  readonly display_name?: string
  readonly policies?: readonly string[]
  readonly token_policies?: readonly string[]
  readonly identity_policies?: readonly string[]
  readonly policy_results?: {
    readonly allowed: boolean
    readonly granting_policies?: readonly {
      readonly name: string
      readonly namespace_id: string
      readonly namespace_path?: string
      readonly type: 'acl'
    }[]
  }
  readonly metadata?: Readonly<Record<string, string>>
  readonly num_uses?: number
  /** The number of uses that the token had left before this request. */
  readonly remaining_uses?: number
  readonly entity_id?: string
  readonly token_type?: 'service' | 'batch' | 'default'
  /** Seconds. */
  readonly token_ttl?: number
  readonly token_issue_time?: string
}

interface AuditMount {
  /** The mount's path, preceded by the path of its namespace. */
  readonly mount_point?: string
  readonly mount_type?: string
  readonly mount_accessor?: string
  readonly mount_class?: 'secret' | 'auth'
}

export interface AuditRequest extends AuditMount {
  readonly id: string
  readonly operation: string
  readonly client_token?: string
  readonly client_token_accessor?: string
  readonly namespace: { readonly id?: string; readonly path?: string }
  /** The path, relative to the namespace. The path of a list ends in a slash. */
  readonly path: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly remote_address?: string
  /** Seconds. */
  readonly wrap_ttl?: number
  /** The name of the performance secondary that forwarded the request. */
  readonly replication_cluster?: string
  readonly headers?: Readonly<Record<string, readonly string[]>>
}

export interface AuditResponse extends AuditMount {
  readonly auth?: AuditAuth
  readonly secret?: { readonly lease_id?: string }
  readonly data?: Readonly<Record<string, unknown>>
  readonly warnings?: readonly string[]
  readonly wrap_info?: Readonly<Record<string, unknown>>
}

/** The position of an entry in the chain of its process and sink. */
export interface AuditLink {
  /** Each kernel starts a new chain when it opens the store. */
  readonly id: string
  readonly number: number
  /** The `mac` of the previous entry, or the initial value of the chain for the first entry. */
  readonly previous: string
  /** HMAC-SHA256 of the line up to this member, in base64url. */
  readonly mac: string
}

interface Content {
  readonly time: string
  readonly type: 'request' | 'response'
  readonly auth?: AuditAuth
  readonly request: AuditRequest
  readonly response?: AuditResponse
  readonly error?: string
  /** Why a login was refused. */
  readonly reason?: LoginRefusalReason
  readonly chain: AuditLink
}

/** An audit entry as sinks receive it. The line is parsed when a member is first read. */
export class AuditEntry {
  /** The entry as one line of JSON, without the line break. */
  readonly line: string
  #content: Content | undefined

  constructor(line: string) {
    this.line = line
  }

  /** RFC 3339. */
  get time(): string {
    return this.toJSON().time
  }

  get type(): Content['type'] {
    return this.toJSON().type
  }

  get auth(): AuditAuth | undefined {
    return this.toJSON().auth
  }

  get request(): AuditRequest {
    return this.toJSON().request
  }

  get response(): AuditResponse | undefined {
    return this.toJSON().response
  }

  /** Why the request was refused, in plain text. */
  get error(): string | undefined {
    return this.toJSON().error
  }

  /** Why a login was refused. The response to the caller does not contain the reason. */
  get reason(): LoginRefusalReason | undefined {
    return this.toJSON().reason
  }

  get chain(): AuditLink {
    return this.toJSON().chain
  }

  /** All members as a plain object. */
  toJSON(): Content {
    this.#content ??= JSON.parse(this.line) as Content
    return this.#content
  }
}
