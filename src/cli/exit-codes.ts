/** The exit codes of the command line, with the text of the docs. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'The command succeeded.' },
  failed: {
    code: 1,
    meaning:
      'The command failed for a reason that has no code of its own. `doctor` found a problem. Some items of `rewrap` failed.',
  },
  usage: { code: 2, meaning: 'The arguments are invalid. Nothing was done.' },
  config: { code: 3, meaning: 'The config file is missing or invalid.' },
  sealed: { code: 4, meaning: 'The store is sealed or not initialized.' },
  integrity: {
    code: 5,
    meaning: 'A root key, key share or ciphertext does not match, or a backup or audit log is damaged.',
  },
  denied: { code: 6, meaning: 'The token is invalid, or its policies do not allow the call.' },
  interrupted: { code: 130, meaning: 'The command was interrupted by Ctrl-C (SIGINT) or SIGTERM. `serve` exits with 0 instead.' },
} as const

export type ExitReason = keyof typeof EXIT_CODES
