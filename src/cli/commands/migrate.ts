import { resolve } from 'node:path'
import type {
  MigrationParty,
  MigrationProblem,
  MigrationReport,
  MigrationState,
  MigrationStateStore,
} from '../../migrate/index.ts'
import { type CommandResult, command } from '../command.ts'
import { CommandError, usageError } from '../command-error.ts'
import { type CommandSession, openStore } from '../command-session.ts'
import { loadConfig } from '../config-file.ts'
import { readJsonFile, replaceJsonFile } from '../json-file.ts'
import type { OptionDefinition, OptionValues } from '../option-definition.ts'

const OPTIONS = {
  from: { kind: 'text', value: 'side', summary: 'The source: a URL, or another config file. Default: the store of the config' },
  'from-token-file': { kind: 'file', summary: 'The token for a source that is a server; - for standard input' },
  'from-namespace': { kind: 'text', value: 'path', summary: 'The namespace of the source. Default: the root namespace' },
  to: { kind: 'text', value: 'side', summary: 'The target: a URL, or another config file. Default: the store of the config' },
  'to-token-file': { kind: 'file', summary: 'The token for a target that is a server; - for standard input' },
  'to-namespace': { kind: 'text', value: 'path', summary: 'The namespace of the target. Default: the root namespace' },
  'header-prefix': { kind: 'text', value: 'prefix', summary: 'The prefix of the header names of servers. Default: X-Vault' },
  state: {
    kind: 'file',
    summary: 'A file for the progress, so that an interrupted migration continues. It has names, but no secrets',
  },
  'dry-run': { kind: 'flag', summary: 'Only list the items that would be copied, and those that cannot be copied' },
} as const satisfies Readonly<Record<string, OptionDefinition>>

type MigrateOptionValues = OptionValues<typeof OPTIONS>

export const migrate = command({
  name: 'migrate',
  summary: 'Copy keys, secrets with their versions, policies and mounts from and to a live server or another store',
  details: `The source and the target are each the store of the config, the store of another config, or a server with the API of Vault. The
source is only read, and nothing at the target is overwritten. At the end, both sides are compared. Run the command again after an
interruption.`,
  options: OPTIONS,
  example: 'migrate --from https://vault.internal:8200 --from-token-file token --state migration.json',
  async run({ options, session }) {
    if (options.from === options.to) throw usageError('--from, --to: must be two different sides')
    // If the store of the config is sealed, nothing else needs to be opened.
    if (options.from === undefined || (options.to === undefined && !options['dry-run'])) await session.kernel()
    const source = await openSide(session, 'from', options)
    const target = options['dry-run'] ? undefined : await openSide(session, 'to', options)
    try {
      return target ? await copied(session, source.party, target.party, options.state) : await planned(session, source.party)
    } catch (error) {
      throw deniedBy(error)
    } finally {
      await source.close()
      await target?.close()
    }
  },
})

interface OpenedSide {
  readonly party: MigrationParty
  close(): Promise<void>
}

/** A store of the command's own config is closed by the session. */
const keptOpen = async (): Promise<void> => {}

async function openSide(session: CommandSession, side: 'from' | 'to', options: MigrateOptionValues): Promise<OpenedSide> {
  const place = options[side]
  const tokenFile = options[`${side}-token-file`]
  const namespace = options[`${side}-namespace`]
  const inNamespace = namespace === undefined ? {} : { namespace }
  if (place !== undefined && /^https?:\/\//.test(place)) {
    if (tokenFile === undefined) throw usageError(`--${side}-token-file: is required for a server`)
    const token = await session.secrets.read({ what: `token of --${side}`, file: tokenFile })
    const headerPrefix = options['header-prefix'] ?? 'X-Vault'
    return { party: { address: place, token, headerPrefix, ...inNamespace }, close: keptOpen }
  }
  if (tokenFile !== undefined) throw usageError(`--${side}-token-file: can be used only for a server`)
  if (place === undefined) return { party: { kernel: await session.kernel(), ...inNamespace }, close: keptOpen }
  const config = await loadConfig(session.terminal.cwd, place)
  const kernel = await openStore(config)
  const close = async (): Promise<void> => {
    await kernel.close()
    await config.close()
  }
  if (kernel.seal.state === 'open') return { party: { kernel, ...inNamespace }, close }
  await close()
  throw new CommandError('sealed', `--${side}: the store of ${place} is ${kernel.seal.state}`)
}

async function copied(
  session: CommandSession,
  from: MigrationParty,
  to: MigrationParty,
  state: string | undefined,
): Promise<CommandResult> {
  const { migrate: run } = await import('../../migrate/index.ts')
  const report = await session.withProgress(
    'migrate',
    (show) =>
      run({
        from,
        to,
        signal: session.signal,
        onProgress: ({ phase, done, total }) => show(`${phase === 'copy' ? 'copying' : 'comparing'}, ${done} of ${total} items`),
        ...(state !== undefined && { state: stateIn(resolve(session.terminal.cwd, state), state) }),
      }),
    ({ ok }) => (ok ? 'both sides are equal' : 'some items differ'),
    'stopped; run the same command again to continue',
  )
  return { data: report, text: textOf(report), reason: report.ok ? 'ok' : 'failed' }
}

async function planned(session: CommandSession, from: MigrationParty): Promise<CommandResult> {
  const { planMigration } = await import('../../migrate/index.ts')
  const { items, skipped } = await planMigration({ from, signal: session.signal })
  const lines = items.map(({ kind, mount, name, by }) => `${kind} ${mount}${name}${by === undefined ? '' : `, by ${by}`}`)
  return { data: { items, skipped }, text: [...lines, ...problems('not copied', skipped)].join('\n') }
}

/** @param shown The path as the user gave it. */
const stateIn = (path: string, shown: string): MigrationStateStore => ({
  load: () =>
    readJsonFile<MigrationState>(path).catch((error: Error) => {
      const reason = error instanceof SyntaxError ? `${shown} is not JSON; remove it to begin again` : error.message
      throw new CommandError('failed', `--state: ${reason}`)
    }),
  save: (state) => replaceJsonFile(path, state),
})

function textOf({ verified, refused, notes, skipped, differences }: MigrationReport): string {
  const counts = Object.entries(verified).map(([kind, count]) => `${kind}: ${count} equal`)
  const others = [
    ...problems('refused', refused),
    ...problems('different', differences),
    ...problems('with limits', notes),
    ...problems('not copied', skipped),
  ]
  return [...counts, ...others].join('\n')
}

const problems = (what: string, list: readonly MigrationProblem[]): readonly string[] =>
  list.map(({ kind, mount, name, reason }) => `${what}: ${kind} ${mount}${name}: ${reason}`)

function deniedBy(error: unknown): unknown {
  const { name, status, message } = error as { readonly name?: string; readonly status?: number; readonly message?: string }
  if (name !== 'MigrationError' || (status !== 401 && status !== 403)) return error
  return new CommandError('denied', message ?? '', { cause: error })
}
