export interface FacadeSource {
  readonly name: string
  readonly file: string
  readonly module: string
  readonly operations: string
  readonly path: string
  readonly view: string
  readonly about: string
  readonly shared?: Readonly<Record<string, string>>
  readonly thing?: string
  readonly records?: string
}
export const FACADES: readonly FacadeSource[]
