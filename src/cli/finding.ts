/** The result of one check of `doctor`. */
export interface Finding {
  readonly check: string
  readonly result: 'ok' | 'warning' | 'failed'
  readonly message: string
}

export const finding = (check: string, result: Finding['result'], message: string): Finding => ({ check, result, message })
