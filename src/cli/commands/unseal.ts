import type { SealStatus } from '../../index.ts'
import { command } from '../command.ts'
import { CommandError, usageError } from '../command-error.ts'
import type { CommandSession } from '../command-session.ts'
import { unsealWithShares } from '../unseal-with-shares.ts'

export const unseal = command({
  name: 'unseal',
  summary: 'Unseal a running server with key shares, check the shares, or move the store to another seal',
  details: `A store is unsealed in each process. With --address, the shares are sent to a running server, which stays unsealed. Without
--address, the command only checks that the shares unseal the store of the config. With --migrate, it moves the store to the seal of the
config. The shares come from --shares-file, or from prompts on a terminal.`,
  options: {
    address: { kind: 'text', value: 'url', summary: 'The address of a running server, such as http://127.0.0.1:8200' },
    migrate: { kind: 'flag', summary: 'Move the store to the seal of the config; needs the shares of the former seal' },
  },
  example: 'unseal --address http://127.0.0.1:8200 --shares-file share.txt',
  async run({ options, session }) {
    const { address, migrate = false } = options
    if (address !== undefined && migrate) throw usageError('--migrate: cannot be used with --address')
    const status = address === undefined ? await unsealStore(session, migrate) : await unsealServer(session, address)
    const text = status.sealed
      ? `The server is still sealed: it has ${status.progress} of ${status.t} shares.`
      : address === undefined
        ? 'The store can be unsealed.'
        : 'The server is unsealed.'
    return { data: status, text, reason: status.sealed ? 'sealed' : 'ok' }
  },
})

async function unsealStore(session: CommandSession, migrate: boolean): Promise<SealStatus> {
  const kernel = await session.openKernel()
  if (kernel.seal.state === 'uninitialized') await session.kernel()
  if (kernel.seal.state === 'open') return kernel.seal.status()
  return unsealWithShares(kernel, session.secrets, { file: session.globals['shares-file'], migrate })
}

async function unsealServer(session: CommandSession, address: string): Promise<SealStatus> {
  const shares = await session.secrets.readLines({ what: 'key shares', file: session.globals['shares-file'] })
  let status: SealStatus | undefined
  for (const key of shares) {
    status = await submit(address, key, session.signal)
    if (!status.sealed) break
  }
  return status as SealStatus
}

async function submit(address: string, key: string, signal: AbortSignal): Promise<SealStatus> {
  const url = `${address.replace(/\/+$/, '')}/v1/sys/unseal`
  if (!URL.canParse(url)) throw usageError('--address: must be a URL')
  const body = JSON.stringify({ key })
  const response = await fetch(url, { method: 'PUT', body, signal, redirect: 'error' }).catch((error: Error) => {
    throw new CommandError(
      'failed',
      `${address}: cannot be reached: ${(error.cause as Error | undefined)?.message ?? error.message}`,
    )
  })
  if (response.ok) return (await response.json()) as SealStatus
  const { errors } = (await response.json().catch(() => ({}))) as { readonly errors?: readonly string[] }
  const reason = response.status === 400 ? 'integrity' : 'failed'
  throw new CommandError(reason, errors?.join('; ') || `the server answered with status ${response.status}`)
}
