/** Validates e-mail addresses like the management API. */
import { Email } from '@querent/contract/manage'

export const isEmail = async (text: string): Promise<boolean> => {
  // Loaded on first use.
  const { schemaFaults } = await import('@querent/contract/schema-faults')
  return schemaFaults(Email, text).length === 0
}
