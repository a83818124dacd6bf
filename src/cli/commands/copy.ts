import { command } from '../command.ts'
import { loadConfig } from '../config-file.ts'

export const copy = command({
  name: 'copy',
  summary: 'Copy the store of the config to the storage of another config, and compare every record',
  details: `Close all processes that use the store first. The copy stays encrypted with the same seal. If the command is interrupted, run it
again: it continues, and no kernel opens the target before the copy is complete.`,
  options: {
    to: { kind: 'file', required: true, summary: 'The config file whose storage is the target' },
  },
  example: 'copy --to new.config.mjs',
  async run({ options, session }) {
    const from = await session.config()
    const to = await loadConfig(session.terminal.cwd, options.to)
    try {
      const { copyStorage } = await import('../../index.ts')
      const { records, bytes, changed } = await session.withProgress(
        'copy',
        (report) =>
          copyStorage(from.options.storage, to.options.storage, {
            signal: session.signal,
            onProgress: ({ phase, records }) => report(`${phase === 'copy' ? 'copying' : 'comparing'}, ${records} records`),
          }),
        ({ records, changed }) => `${records} records, ${changed} written`,
        'stopped; run the same command again to continue',
      )
      return { data: { records, bytes, written: changed }, text: '' }
    } finally {
      await to.close()
    }
  },
})
