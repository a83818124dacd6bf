import type { OptionDefinition } from './option-definition.ts'

/** The options of every command. */
export const GLOBAL_OPTIONS = {
  config: { kind: 'file', summary: 'The config file. Default: strongroom.config.mjs in the working directory' },
  'token-file': {
    kind: 'file',
    summary:
      'A file with the token to act with; - for standard input. Default: act as the application, which no policy restricts',
  },
  'shares-file': {
    kind: 'file',
    summary: 'A file with key shares, one per line, for a store that people unseal; - for standard input',
  },
  json: { kind: 'flag', summary: 'Write one JSON object to standard output, and errors as JSON to standard error' },
  help: { kind: 'flag', summary: 'Show the help of the command' },
} as const satisfies Readonly<Record<string, OptionDefinition>>

export interface GlobalOptions {
  readonly config: string | undefined
  readonly 'token-file': string | undefined
  readonly 'shares-file': string | undefined
  readonly json: boolean | undefined
  readonly help: boolean | undefined
}
