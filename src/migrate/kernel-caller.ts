import { checkStatus } from './migration-error.ts'
import { answerOf, type Caller, type KernelParty } from './party.ts'

/** Sends requests to a kernel of this process. @param signal Aborts the migration. */
export async function kernelCaller(side: string, party: KernelParty, signal: AbortSignal): Promise<Caller> {
  const { kernel, namespace = '', headerPrefix = 'X-Service' } = party
  const token = party.token ?? (await temporaryToken(kernel))
  const headers = { Authorization: `Bearer ${token}`, ...(namespace !== '' && { [`${headerPrefix}-Namespace`]: namespace }) }
  return {
    side,
    async call(method, path, body, query) {
      signal.throwIfAborted()
      const response = await kernel.handle({ method, path: `/v1/${path}`, headers, body, query })
      checkStatus(side, method, path, response.status)
      return answerOf(response.status, response.body)
    },
    async end() {
      if (party.token === undefined) await kernel.handle({ method: 'POST', path: '/v1/auth/token/revoke-self', headers })
    },
  }
}

async function temporaryToken(kernel: KernelParty['kernel']): Promise<string> {
  const created = await kernel.tokens.createToken({ policies: ['root'], ttl: '24h', no_parent: true, display_name: 'migrate' })
  return created.client_token
}
