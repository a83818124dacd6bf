import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import type { AuditUse } from '../../index.ts'
import { alignColumns } from '../align-columns.ts'
import { command } from '../command.ts'
import type { CommandSession } from '../command-session.ts'

const FILES = {
  name: 'file',
  summary: 'The files of the log, the oldest first; - for standard input',
  many: true,
  isFile: true,
}

export const auditVerify = command({
  name: 'audit verify',
  summary: 'Verify that an audit log is complete and unchanged',
  details: 'Exits with 5 if entries were removed, changed, moved or cut off.',
  options: {
    sink: { kind: 'text', value: 'name', required: true, summary: 'The name of the sink in the config, or of the audit device' },
    partial: { kind: 'flag', summary: 'The beginning of the log may be missing' },
  },
  positionals: [FILES],
  example: 'audit verify --sink log audit.log.1 audit.log',
  async run({ options, args, session }) {
    const kernel = await session.kernel()
    const { verifyAudit } = await import('../../index.ts')
    const verdict = await verifyAudit(kernel, {
      sink: options.sink,
      lines: logOf(session, args),
      partial: options.partial ?? false,
    })
    const { ok, ...rest } = verdict
    const problems = verdict.problems.map((problem) => `  ${JSON.stringify(problem)}`)
    return {
      data: { ok, ...rest },
      text: ok ? 'The log is complete and unchanged.' : ['The log is damaged:', ...problems].join('\n'),
      reason: ok ? 'ok' : 'integrity',
    }
  },
})

export const auditWho = command({
  name: 'audit who',
  summary: 'List the requests in an audit log that used a key or a secret',
  options: { mount: { kind: 'text', value: 'path', summary: 'The mount of the key or secret. Default: transit' } },
  positionals: [{ name: 'name', summary: 'The name of the key, or the path of the secret' }, FILES],
  example: 'audit who customers audit.log --mount transit',
  async run({ options, args, session }) {
    const [name, ...files] = args as readonly [string, ...string[]]
    const kernel = await session.kernel()
    const { whoUsed } = await import('../../index.ts')
    const uses: AuditUse[] = []
    for await (const use of whoUsed(kernel, { lines: logOf(session, files), mount: options.mount ?? 'transit', name }))
      uses.push(use)
    const lines = uses.map(({ time, display_name, operation, path, outcome }) => [
      time,
      display_name ?? '?',
      operation,
      path,
      outcome,
    ])
    return { data: { uses }, text: alignColumns(lines).join('\n') }
  },
})

/** The files one after another, as one log. */
async function* logOf(
  { terminal, signal }: CommandSession,
  files: readonly string[],
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const file of files) yield* file === '-' ? terminal.stdin : createReadStream(resolve(terminal.cwd, file), { signal })
}
