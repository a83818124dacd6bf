import type { OptionDefinition } from './option-definition.ts'

/** The option `--mount`. @param initial The mount without the option. */
export const mountOption = (initial: string) =>
  ({ kind: 'text', value: 'path', summary: `The mount of the engine. Default: ${initial}` }) as const satisfies OptionDefinition
