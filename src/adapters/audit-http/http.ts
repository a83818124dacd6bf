/** Audit entries as requests to an HTTP server. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { KernelError } from '../../core/base/errors.ts'
import { readOptions } from '../../core/base/options.ts'
import type { AuditEntry } from '../../core/contract/audit-entry.ts'
import type { AuditSink } from '../../core/contract/audit-port.ts'
import { type AuditTls, type ClientTls, readClientTls } from '../audit/client-tls.ts'
import { EntryQueue } from '../audit/entry-queue.ts'
import { StreamTransport } from '../audit/stream-transport.ts'
import { EntryPoster } from './entry-poster.ts'

export interface HttpAuditOptions {
  /**
   * The address that receives the entries. Its scheme must be `https` or `http`. With `http` the entries and the headers are sent in clear
   * text, so use it only within one machine.
   */
  readonly url: string
  /** Headers of each request, such as `Authorization`. They appear in no message. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  /** For `https`: the trusted authorities, and the certificate and key of this client. Default: what Node trusts. */
  readonly tls?: AuditTls
  /**
   * Entries that wait while a request runs are sent in one request, up to this number of bytes. 0 sends each entry in a request of its own.
   * Default: 1,048,576.
   */
  readonly maxBatchBytes?: number
}

/** An HTTP server to which entries are sent. */
export interface HttpAudit extends AuditSink {
  /** Closes the connection after the waiting entries were sent. A later entry opens the connection again. */
  close(): Promise<void>
}

const WHAT = 'httpAudit'
const DEFAULT_BATCH_BYTES = 1_048_576
const MAX_BATCH_BYTES = 16_777_216

/** Headers that the sink itself sets. */
const OWN_HEADERS =
  /^(content-length|content-type|content-encoding|transfer-encoding|connection|host|idempotency-key|expect|upgrade)$/i

/**
 * Returns a sink that sends entries with `POST` as NDJSON: the line of each entry, followed by a line break (`application/x-ndjson`).
 *
 * A call of `write` resolves when the server has answered with a status from 200 to 299, and rejects for any other answer, or if the
 * answer is longer than 65,536 bytes. Requests are sent one after the other, so the order of the entries is kept. Redirects are not
 * followed, and no proxy is used. A request is repeated only once, and only if the server closed a connection that was kept from an earlier
 * request before it answered. The header `Idempotency-Key` is the same in both requests, so that the server can recognize a repetition.
 *
 * Error messages contain neither the URL nor a header nor a part of an answer.
 * @throws TypeError for invalid options.
 */
export function httpAudit(options: HttpAuditOptions): HttpAudit {
  const {
    url: given,
    headers,
    tls,
    maxBatchBytes = DEFAULT_BATCH_BYTES,
  } = readOptions(WHAT, options, { url: 1, headers: 1, tls: 1, maxBatchBytes: 1 })
  const url = urlOf(given)
  if (tls !== undefined && url.protocol !== 'https:') throw new TypeError(`${WHAT}: tls requires a url that begins with https`)
  if (!(Number.isInteger(maxBatchBytes) && maxBatchBytes >= 0 && maxBatchBytes <= MAX_BATCH_BYTES))
    throw new TypeError(`${WHAT}: maxBatchBytes must be an integer from 0 to ${MAX_BATCH_BYTES}`)
  const clientTls = readClientTls(WHAT, tls)
  const poster = new EntryPoster(WHAT, url, headersOf(headers), clientTls)
  const queue = new EntryQueue({ what: WHAT, maxBatchBytes, send: (batch, signal) => poster.post(batch, signal) })
  return {
    open: (signal = new AbortController().signal) => tryConnection(url, clientTls, signal),
    write: ({ line }: AuditEntry, signal?: AbortSignal) => queue.add(Buffer.from(`${line}\n`), signal),
    async close() {
      await queue.idle()
      poster.close()
    },
  }
}

/** @throws TypeError without the URL in its message, because a URL may contain a token. */
function urlOf(given: unknown): URL {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new TypeError(`${WHAT}: url must be a URL that begins with https or http`)
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new TypeError(`${WHAT}: url must not contain a user, a password or a fragment; send credentials in headers`)
  return url
}

/** @throws TypeError without the header's value in its message. */
function headersOf(given: HttpAuditOptions['headers'] = {}): Readonly<Record<string, string>> {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${WHAT}: headers must be an object`)
  const headers = { ...given }
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    } catch {
      throw new TypeError(`${WHAT}: headers has an invalid name or an invalid value`)
    }
    if (typeof value !== 'string') throw new TypeError(`${WHAT}: headers.${name} must be a string`)
    if (OWN_HEADERS.test(name)) throw new TypeError(`${WHAT}: headers.${name} is set by httpAudit`)
  }
  return headers
}

/** Connects to the server without sending a request. @throws KernelError 400 if that fails. */
async function tryConnection({ hostname, port, protocol }: URL, tls: ClientTls, signal: AbortSignal): Promise<void> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isTls = protocol === 'https:'
  const address = { host, port: port === '' ? (isTls ? 443 : 80) : Number(port) }
  const transport = new StreamTransport(WHAT, isTls ? { transport: 'tls', ...address, tls } : { transport: 'tcp', ...address })
  try {
    await transport.open(signal)
  } catch (cause) {
    if (signal.aborted) throw cause
    throw new KernelError('ERR_INVALID_REQUEST', (cause as Error).message, { cause })
  } finally {
    transport.close()
  }
}
