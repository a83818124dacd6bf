import type { CompilerOptions } from 'typescript-5'

export interface Member {
  readonly path: string
  readonly documentation: string
  readonly loose: boolean
}
export function membersShown(
  entry: string,
  text: string,
  options: CompilerOptions,
  isOurs: (file: string) => boolean,
): readonly Member[]
