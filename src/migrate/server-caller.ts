import { systemClock } from '../core/base/clock.ts'
import { combinedSignal } from '../core/base/combined-signal.ts'
import { Slices } from '../core/base/slices.ts'
import { parseJson } from '../core/json/json.ts'
import { jsonTextSoon } from '../core/json/json-text.ts'
import { checkStatus, MigrationError } from './migration-error.ts'
import { answerOf, type Caller, type PartyQuery, type ServerParty } from './party.ts'

const REQUEST_TIMEOUT_MS = 60_000

/** The maximum length of an answer in bytes, such as a list of a million names. */
const MAX_ANSWER_BYTES = 67_108_864

/** Sends requests to a server. @param signal Aborts the migration. */
export function serverCaller(side: string, party: ServerParty, signal: AbortSignal): Caller {
  const { token, namespace = '', headerPrefix = 'X-Vault', fetch: send = fetch } = party
  const base = baseOf(party.address)
  const headers = { [`${headerPrefix}-Token`]: token, ...(namespace !== '' && { [`${headerPrefix}-Namespace`]: namespace }) }
  return {
    side,
    async call(method, path, sent, query) {
      const url = `${base}/v1/${path}${queryText(method, query)}`
      try {
        const timed = combinedSignal(signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS))
        const response = await send(url, {
          method: method === 'LIST' ? 'GET' : method,
          headers: sent ? { ...headers, 'Content-Type': 'application/json' } : headers,
          ...(sent && { body: await textOf(sent) }),
          // A redirect would send the token to another host.
          redirect: 'manual',
          signal: timed,
        })
        const bytes = await bytesOf(response)
        checkStatus(side, method, path, response.status)
        const body =
          response.status === 200 && bytes.length > 0 ? await new Slices(systemClock).drive(parseJson(bytes)) : undefined
        return answerOf(response.status, body)
      } catch (cause) {
        if (signal.aborted) throw signal.reason
        if (cause instanceof MigrationError) throw cause
        throw new MigrationError(`${side} did not answer ${method} ${decodeURIComponent(path)}`, undefined, { cause })
      }
    },
    end: async () => {},
  }
}

/** @throws TypeError without the address in its message. */
function baseOf(address: string): string {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new TypeError('migrate: address must be a URL that begins with https or http')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function queryText(method: string, query: PartyQuery = {}): string {
  const all = new URLSearchParams(method === 'LIST' ? { ...query, list: 'true' } : query).toString()
  return all === '' ? '' : `?${all}`
}

async function textOf(body: object): Promise<string> {
  const text = jsonTextSoon(body)
  return typeof text === 'string' ? text : await new Slices(systemClock).drive(text)
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
