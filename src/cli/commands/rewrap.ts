import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { memberLines } from '../align-columns.ts'
import { command } from '../command.ts'
import { usageError } from '../command-error.ts'
import { type LineTemplate, lineTemplate } from '../jsonl/line-template.ts'
import { ResumableOutput } from '../jsonl/resumable-output.ts'
import { type RewrapOutcome, type RewrapState, rewrapLines } from '../jsonl/rewrap-lines.ts'
import { mountOption } from '../mount-option.ts'

export const rewrap = command({
  name: 'rewrap',
  summary: 'Encrypt the ciphertexts in a JSONL file again with the newest version of their key',
  details: `Reads a file with one JSON object per line, and writes a new file in which one field of each line is rewrapped. The rest of each line
stays as it is. Lines without the field are copied. A line that cannot be rewrapped is copied and reported, and the exit code is 1, or 5 if
a ciphertext cannot be decrypted. After an interruption, run the same command again: it continues at its last checkpoint, which is next to
the output in a file that ends with .progress.`,
  options: {
    jsonl: { kind: 'file', required: true, summary: 'The input' },
    field: { kind: 'text', value: 'name', required: true, summary: 'The field with the ciphertext' },
    key: { kind: 'text', value: 'name', required: true, summary: 'The key' },
    out: { kind: 'file', summary: 'The new file, with mode 0600; required without --dry-run' },
    aad: {
      kind: 'text',
      value: 'template',
      summary: 'The associated data of each line, such as customer:{id}, where {id} is a field of the line',
    },
    context: { kind: 'text', value: 'template', summary: 'The context of each line, for a derived key' },
    'dry-run': { kind: 'flag', summary: 'Count the ciphertexts by version without writing or decrypting anything' },
    mount: mountOption('transit'),
  },
  example: 'rewrap --jsonl customers.jsonl --field email --key customers --aad customer:{id} --out rewrapped.jsonl',
  async run({ options, session }) {
    const isDryRun = options['dry-run'] === true
    if (options.out === undefined && !isDryRun) throw usageError('--out: is required without --dry-run')
    const template = (name: 'aad' | 'context'): LineTemplate | undefined =>
      options[name] === undefined ? undefined : lineTemplate(name, options[name])
    const templates = { aad: template('aad'), context: template('context') }
    const path = resolve(session.terminal.cwd, options.jsonl)
    const { size, mtimeMs } = await stat(path).catch((error: Error) => {
      throw usageError(`--jsonl: ${error.message}`)
    })
    const { transit } = await session.caller()
    const { field, key, aad, context, mount } = options
    const work = JSON.stringify({ jsonl: path, size, mtimeMs, field, key, aad, context, mount })
    const output =
      options.out === undefined || isDryRun
        ? undefined
        : await ResumableOutput.open<RewrapState>(resolve(session.terminal.cwd, options.out), options.out, work)
    const shown = ({ lines }: RewrapState): string => `${lines} lines`
    const run = async (report: (text: string, fraction?: number) => void): Promise<RewrapOutcome> => {
      if (output?.resumed) report(`continued after ${shown(output.resumed)}`)
      try {
        const outcome = await rewrapLines({
          transit: mount === undefined ? transit : transit.at(mount),
          key,
          path,
          field,
          ...templates,
          signal: session.signal,
          output,
          onProgress: (state) => report(shown(state), size === 0 ? 1 : state.read / size),
        })
        await output?.finish()
        return outcome
      } catch (error) {
        await output?.interrupt()
        throw error
      }
    }
    const outcome = await session.withProgress('rewrap', run, shown, 'stopped; run the same command again to continue')
    const { lines, skipped, failures, census, progress } = outcome
    const { rewrapped = 0, unchanged = 0, failed = 0 } = progress ?? {}
    const data = { dry_run: isDryRun, lines, rewrapped, unchanged, skipped, failed, failures, versions: census.versions }
    const text = [
      ...memberLines({ ...data, failures: undefined, dry_run: undefined }),
      ...failures.map(({ line, message }) => `line ${line}: ${message}`),
    ].join('\n')
    const isWrongKey = failures.some(({ code }) => code === 'ERR_DECRYPTION_FAILED')
    return { data, text, reason: failed === 0 ? 'ok' : isWrongKey ? 'integrity' : 'failed' }
  },
})
