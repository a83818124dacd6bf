import type { Policy } from '../../core/policy/index.ts'
import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'
import { CommandError, isKernelError, usageError } from '../command-error.ts'
import type { CommandSession } from '../command-session.ts'

const OPERATIONS = ['create', 'read', 'update', 'delete', 'list', 'patch'] as const
const FILE = { name: 'file', summary: 'The file with the policy; - for standard input', isFile: true }

export const policyExplain = command({
  name: 'policy explain',
  summary: 'Explain whether a token may do something, and which rule decides',
  details:
    'The token is the one in --token-file. The command does not count as one of its uses. A denial is a result: the exit code is 0.',
  positionals: [
    { name: 'operation', summary: 'The operation', choices: OPERATIONS },
    { name: 'path', summary: 'The path, such as secret/app' },
  ],
  example: 'policy explain read secret/app --token-file app-token',
  async run({ args, session }) {
    const [operation, path] = args as readonly [(typeof OPERATIONS)[number], string]
    const token = await session.token()
    if (token === undefined) throw usageError('--token-file: is required')
    const { warnings: _, ...data } = (await (await session.kernel()).policies.explain({ token, operation, path })) as {
      readonly allowed: boolean
      readonly warnings?: unknown
    }
    return { data, text: memberLines(data).join('\n') }
  },
})

export const policyFormat = command({
  name: 'policy format',
  summary: 'Write a policy with uniform indentation to standard output, or back to its file',
  options: {
    write: { kind: 'flag', summary: 'Replace the file' },
    check: { kind: 'flag', summary: 'Write nothing, and exit with 1 if the file is not formatted' },
  },
  positionals: [FILE],
  example: 'policy format app.hcl --write',
  async run({ options, args, session }) {
    const [file] = args as readonly [string]
    if (options.write && options.check) throw usageError('--write, --check: use only one of them')
    if (options.write && file === '-') throw usageError('--write: needs a file')
    const text = await readPolicy(session, file)
    const { formatPolicy } = await import('../policy-format.ts')
    await parse(text)
    const formatted = /^\s*\{/.test(text) ? `${JSON.stringify(JSON.parse(text), undefined, 2)}\n` : formatPolicy(text)
    // A difference would be an error of the formatter, which must not change what a policy allows.
    if ((await meaningOf(formatted)) !== (await meaningOf(text)))
      throw new CommandError('failed', `${file}: cannot be formatted without changing its meaning`)
    const isFormatted = formatted === `${text}\n` || formatted === text
    if (options.check)
      return {
        data: { formatted: isFormatted },
        text: isFormatted ? '' : `${file}: is not formatted`,
        reason: isFormatted ? 'ok' : 'failed',
      }
    if (!options.write) return { data: { policy: formatted }, text: formatted.trimEnd() }
    const { writeFile } = await import('node:fs/promises')
    const { resolve } = await import('node:path')
    if (!isFormatted) await writeFile(resolve(session.terminal.cwd, file), formatted)
    return { data: { changed: !isFormatted }, text: isFormatted ? '' : `${file} is formatted.` }
  },
})

export const policyCheck = command({
  name: 'policy check',
  summary: 'Check the syntax of a policy, and warn about rules that match nothing',
  positionals: [FILE],
  example: 'policy check app.hcl',
  async run({ args, session }) {
    const [file] = args as readonly [string]
    const policy = await parse(await readPolicy(session, file))
    const { warningsOfPatterns } = await import('../../core/policy/index.ts')
    const { runToEnd } = await import('../../core/base/steps.ts')
    const warnings = runToEnd(warningsOfPatterns(policy))
    const text = [`${file}: ${policy.rules.length} rules`, ...warnings.map((warning) => `warning: ${warning}`)]
    return { data: { valid: true, rules: policy.rules.length, warnings }, text: text.join('\n') }
  },
})

const readPolicy = (session: CommandSession, file: string): Promise<string> => session.secrets.read({ what: 'policy', file })

async function parse(text: string): Promise<Policy> {
  const { parsePolicy } = await import('../../core/policy/index.ts')
  try {
    return parsePolicy(text)
  } catch (error) {
    if (isKernelError(error)) throw new CommandError('failed', error.message, { code: error.code })
    throw error
  }
}

/** The meaning of a text: its values without their places, in the order of the text, which formatting keeps. */
async function meaningOf(text: string): Promise<string> {
  const [{ readText }, { POLICY_TEXT }, { runToEnd }] = await Promise.all([
    import('../../core/hcl/index.ts'),
    import('../../core/policy/index.ts'),
    import('../../core/base/steps.ts'),
  ])
  return JSON.stringify(runToEnd(readText(text, POLICY_TEXT)), (name, value: unknown) =>
    name === 'at' ? undefined : typeof value === 'bigint' ? `${value}n` : value,
  )
}
