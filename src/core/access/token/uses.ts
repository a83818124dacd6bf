/** Counts the uses of tokens with a limited number of uses. */
import type { TokenCaller } from '../../contract/caller.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { Call } from '../../contract/tx.ts'
import type { Host } from '../../transaction/host.ts'
import type { Keyspace } from '../../transaction/keyspace.ts'
import { transactAndEnd } from '../../transaction/transact.ts'
import { deniedError } from '../token-authenticator.ts'
import { revokeStoredToken, scheduleExpiry } from './revoke.ts'
import { isAlive, TOKEN } from './token.ts'

interface SpentUse {
  /** The token after this use. */
  readonly token: TokenRecord
  /** Whether this was the last use. If so, the token is already invalid, and it is revoked after the response. */
  readonly last: boolean
}

/** If the process stops before the response, a tick revokes the token after this many milliseconds. */
const LAST_REQUEST_MS = 60_000

export class TokenUses {
  readonly #host: Host
  readonly #place: Keyspace
  readonly #call: Call

  /**
   * @param place The keyspace of the kernel's own records.
   * @param call A trusted call that the kernel makes.
   */
  constructor(host: Host, place: Keyspace, call: Call) {
    this.#host = host
    this.#place = place
    this.#call = call
  }

  /** Commits one use. Must run before the request has any other effect. @throws KernelError 403 if no use is left. */
  async spend({ id }: TokenCaller): Promise<SpentUse> {
    const { value } = await transactAndEnd(this.#host, this.#place, this.#call, 'write', (run) => {
      const token = run.get(TOKEN, id)
      if (!token || !isAlive(token, run.now)) throw deniedError()
      const last = token.num_uses === 1
      const ends = run.now + LAST_REQUEST_MS
      const spent: TokenRecord = last
        ? { ...token, num_uses: -1, expires: Math.min(token.expires ?? ends, ends) }
        : { ...token, num_uses: token.num_uses - 1 }
      run.put(TOKEN, id, spent)
      if (last) scheduleExpiry(run, id, token.expires, spent.expires)
      return { token: spent, last }
    })
    return value
  }

  async revoke({ id }: TokenCaller): Promise<void> {
    await transactAndEnd(this.#host, this.#place, this.#call, 'write', (run) => revokeStoredToken(run, id))
  }
}
