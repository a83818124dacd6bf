/** The two sides of a migration. */
import type { KernelRequest, KernelResponse } from '../core/contract/request.ts'

/** The part of a kernel that a migration uses. */
export interface MigrationKernel {
  handle(request: KernelRequest): Promise<KernelResponse>
  readonly tokens: {
    createToken(parameters: {
      readonly policies: readonly string[]
      readonly ttl: string
      readonly no_parent: boolean
      readonly display_name: string
    }): Promise<{ readonly client_token: string }>
  }
}

/** A kernel of this process, with settings. */
export interface KernelParty {
  readonly kernel: MigrationKernel
  /** Default: a root token that is valid for one day, and revoked at the end of the call. */
  readonly token?: string
  /** Default: the root namespace. */
  readonly namespace?: string
  /** The `naming.headerPrefix` of the kernel; needed only for a namespace. Default: `X-Service`. */
  readonly headerPrefix?: string
}

/** A server with Vault's HTTP API: Vault, OpenBao, or a served kernel. */
export interface ServerParty {
  /** Such as `https://vault.internal:8200`. */
  readonly address: string
  /** A token that may read everything at the source, and write everything at the target. */
  readonly token: string
  /** Default: the root namespace. */
  readonly namespace?: string
  /** The prefix of the headers `-Token` and `-Namespace`. Default: `X-Vault`. */
  readonly headerPrefix?: string
  /** Replaces the global `fetch`, for example to trust a private certificate authority. */
  readonly fetch?: typeof fetch
}

/** One side of a migration: a kernel, a kernel with settings, or a server. */
export type MigrationParty = MigrationKernel | KernelParty | ServerParty

/** The answer to a request. `data` is undefined for a status other than 200. It is the whole body if the body has no member `data`. */
export interface PartyAnswer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>> | undefined
}

export type PartyQuery = Readonly<Record<string, string>>

/** Returns the answer for a status and a parsed body. */
export function answerOf(status: number, body: unknown): PartyAnswer {
  if (status !== 200 || typeof body !== 'object' || body === null) return { status, data: undefined }
  const { data } = body as { readonly data?: PartyAnswer['data'] | null }
  return { status, data: 'data' in body ? (data ?? undefined) : (body as PartyAnswer['data']) }
}

/** Sends requests to one side. */
export interface Caller {
  /** `the source` or `the target`, for messages. */
  readonly side: string
  /**
   * Sends a request. Resolves with any answer of the status 200, 204 or 404.
   * @param path Encoded, without `/v1/`.
   * @throws MigrationError for every other status, and if there is no answer.
   */
  call(method: string, path: string, body?: object, query?: PartyQuery): Promise<PartyAnswer>
  /** Revokes the token that the migration itself created. */
  end(): Promise<void>
}

/** A name such as `app/db` as part of a URL path. */
export const pathOf = (name: string): string => name.split('/').map(encodeURIComponent).join('/')
