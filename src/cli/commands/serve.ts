import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { KernelServer, ServerCertificate } from '../../server/index.ts'
import { type CommandResult, command } from '../command.ts'
import { CommandError, usageError } from '../command-error.ts'
import type { CommandSession } from '../command-session.ts'
import type { OptionDefinition, OptionValues } from '../option-definition.ts'
import { reopenAuditFiles } from '../reopen-audit-files.ts'
import { writeAll } from '../terminal.ts'
import { unsealWithShares } from '../unseal-with-shares.ts'

const OPTIONS = {
  dev: { kind: 'flag', summary: 'Serve a new store in memory that Vault clients take for a dev server; needs no config' },
  'dev-consul': {
    kind: 'flag',
    summary: 'Serve a new configuration service in memory that Consul clients take for a server; needs no config',
  },
  token: {
    kind: 'text',
    summary: 'The root token of --dev (default: root), or the management token of --dev-consul (a UUID; default: a random one)',
  },
  host: {
    kind: 'text',
    value: 'address',
    summary:
      'The address to listen on. Default: 127.0.0.1, which other machines cannot reach; dev servers then answer only to addresses and localhost',
  },
  port: { kind: 'integer', summary: 'The port; 0 for a free one. Default: 8200, with --dev-consul 8500' },
  'tls-cert': { kind: 'file', summary: 'The certificate chain in PEM form; serves HTTPS together with --tls-key' },
  'tls-key': { kind: 'file', summary: 'The private key of the certificate in PEM form' },
  ui: {
    kind: 'flag',
    summary: 'Serve the page of operators at /ui/; always with --dev',
  },
  metrics: { kind: 'flag', summary: 'Serve metrics for Prometheus at /metrics, without a token' },
  seed: { kind: 'file', summary: 'A JSON file with mounts, policies, keys and secrets, which are created if they are missing' },
} as const satisfies Readonly<Record<string, OptionDefinition>>

type ServeOptions = OptionValues<typeof OPTIONS>

export const serve = command({
  name: 'serve',
  summary: 'Serve the store of the config, or a dev server, over HTTP until the command is interrupted',
  details: `Does the background work of the store, such as rotations. A store with key shares is served sealed, until strongroom unseal --address
sends the shares. SIGHUP opens the audit files again, for log rotation. SIGINT and SIGTERM answer the running requests and exit with 0.
The token of a dev server may be an argument, because its store is in memory. Other tokens and keys are never arguments.`,
  options: OPTIONS,
  example: 'serve --dev --token root --port 8200',
  async run({ options, session }) {
    if (options.dev && options['dev-consul']) throw usageError('--dev, --dev-consul: use only one of them')
    if (options['dev-consul']) return serveDevConsul(options, session)
    return options.dev ? serveDev(options, session) : serveConfig(options, session)
  },
})

async function serveDev(options: ServeOptions, session: CommandSession): Promise<CommandResult> {
  const rootToken = await devToken(options, session)
  if (rootToken === undefined && options.host !== undefined && !isLoopback(options.host))
    throw usageError('--token: is required, because other machines can reach this address')
  const seed = await readSeedFile(options, session)
  const { startDevServer } = await import('../../server/dev-server.ts')
  const server = await listening(
    startDevServer({
      ...(await listenOptions(options, session)),
      ...(rootToken !== undefined && { rootToken }),
      ...(seed && { seed }),
      ui: true,
      metrics: options.metrics === true,
    }),
  )
  return untilInterrupted(session, server.getAddress(), () => server.stop())
}

async function serveDevConsul(options: ServeOptions, session: CommandSession): Promise<CommandResult> {
  for (const option of ['seed', 'ui', 'metrics'] as const)
    if (options[option] !== undefined) throw usageError(`--${option}: cannot be used with --dev-consul`)
  const managementToken = await devToken(options, session)
  const { startDevConfigServer } = await import('../../server/dev-config-server.ts')
  const server = await listening(
    startDevConfigServer({
      ...(await listenOptions(options, session)),
      ...(managementToken !== undefined && { managementToken }),
    }),
  )
  // A random token is of use only to a reader of this output. Its store is lost when the command ends.
  const shown = managementToken === undefined ? { management_token: server.getManagementToken() } : {}
  return untilInterrupted(session, server.getAddress(), () => server.stop(), shown)
}

async function serveConfig(options: ServeOptions, session: CommandSession): Promise<CommandResult> {
  if (options.token !== undefined) throw usageError('--token: can be used only with --dev or --dev-consul')
  const seed = await readSeedFile(options, session)
  const { AuditTail, serveKernel } = await import('../../server/index.ts')
  const auditTail = options.ui ? new AuditTail() : undefined
  const kernel = await session.openApplication(seed, auditTail)
  if (kernel.seal.state === 'sealed' && session.globals['shares-file'] !== undefined)
    await unsealWithShares(kernel, session.secrets, { file: session.globals['shares-file'] })
  const pages = { ui: options.ui === true, metrics: options.metrics === true, ...(auditTail && { auditTail }) }
  const server = await listening(serveKernel(kernel, { ...(await listenOptions(options, session)), ...pages }))
  const { options: config } = await session.config()
  const reopen = (): void => reopenAuditFiles(config)
  process.on('SIGHUP', reopen)
  const stopTicks = kernel.start({
    onError: (error) => void session.terminal.stderr.write(`background work failed: ${error.message}\n`),
  })
  try {
    return await untilInterrupted(session, server.address, () => server.stop(), { state: kernel.seal.state })
  } finally {
    stopTicks()
    process.off('SIGHUP', reopen)
  }
}

/** Vault's and Consul's own ports. */
const VAULT_PORT = 8200
const CONSUL_PORT = 8500

const isLoopback = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)

async function devToken({ token }: ServeOptions, session: CommandSession): Promise<string | undefined> {
  const fromFile = await session.token()
  if (token !== undefined && fromFile !== undefined) throw usageError('--token, --token-file: use only one of them')
  return token ?? fromFile
}

async function listenOptions(
  options: ServeOptions,
  session: CommandSession,
): Promise<{ readonly host?: string; readonly port: number; readonly tls?: ServerCertificate }> {
  const { host, port = options['dev-consul'] ? CONSUL_PORT : VAULT_PORT } = options
  const { 'tls-cert': certFile, 'tls-key': keyFile } = options
  if ((certFile === undefined) !== (keyFile === undefined)) throw usageError('--tls-cert, --tls-key: give both of them')
  const [cert, key] =
    certFile === undefined || keyFile === undefined
      ? []
      : [await readOption(session, 'tls-cert', certFile), await readOption(session, 'tls-key', keyFile)]
  return { ...(host !== undefined && { host }), port, ...(cert !== undefined && key !== undefined && { tls: { cert, key } }) }
}

const readOption = (session: CommandSession, option: string, file: string): Promise<string> =>
  readFile(resolve(session.terminal.cwd, file), 'utf8').catch((error: Error) => {
    throw usageError(`--${option}: ${error.message}`)
  })

async function readSeedFile({ seed }: ServeOptions, session: CommandSession): Promise<object | undefined> {
  if (seed === undefined) return undefined
  const text = await readOption(session, 'seed', seed)
  try {
    return JSON.parse(text) as object
  } catch {
    throw usageError(`--seed: ${seed} is not JSON`)
  }
}

async function listening<S>(starting: Promise<S>): Promise<S> {
  return starting.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') throw new CommandError('failed', '--port: another program uses this port')
    throw error
  })
}

/** Writes the address at once, because other programs wait for it. */
async function untilInterrupted(
  { terminal, signal, isJson }: CommandSession,
  address: string,
  stop: () => ReturnType<KernelServer['stop']>,
  shown: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const lines = [
    `Listening at ${address}`,
    ...Object.entries(shown).map(([name, value]) => `${name.replace('_', ' ')}: ${value}`),
  ]
  await writeAll(terminal.stdout, isJson ? `${JSON.stringify({ address, ...shown })}\n` : `${lines.join('\n')}\n`)
  if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
  await stop()
  return { text: '' }
}
