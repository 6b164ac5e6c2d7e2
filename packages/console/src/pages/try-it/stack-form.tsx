import { Button, CloseButton, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { type FormEvent, useState } from 'react'

interface StackFormProps {
  description: ApiDescription
  stack: StackedEndpoint[]
  config: string | undefined
  onRun: (stack: StackedEndpoint[], config: string | undefined) => unknown
}

interface Step {
  /** React key: two steps may be equal. */
  key: number
  endpoint: string
  values: Record<string, string>
}

let keys = 0
const createStep = (endpoint: string, values: Record<string, string> = {}): Step => ({
  key: keys++,
  endpoint,
  values,
})

/** Edits the steps of a query and their parameters. */
export const StackForm = ({ description, stack, config, onRun }: StackFormProps) => {
  const endpoints = description.endpoints.map(({ name, kind, title }) => ({
    value: name,
    label: title === name ? `${name} · ${kind}` : `${name} · ${kind} · ${title}`,
  }))
  const [steps, setSteps] = useState<Step[]>(() =>
    stack.length > 0
      ? stack.map(({ endpoint, parameters }) =>
          createStep(endpoint, Object.fromEntries(parameters.map(({ name, value }) => [name, value]))),
        )
      : [createStep(firstChoice(description))],
  )
  const [chosenConfig, setConfig] = useState(config ?? 'default')
  const change = (key: number, next: Partial<Step>) =>
    setSteps(steps.map(step => (step.key === key ? { ...step, ...next } : step)))
  const run = (event: FormEvent) => {
    event.preventDefault()
    onRun(
      steps.map(({ endpoint, values }) => ({
        endpoint,
        parameters: listParameters(description, endpoint)
          .map(({ name }) => ({ name, value: values[name] ?? '' }))
          .filter(({ name, value }) => value !== '' || isRequired(description, endpoint, name)),
      })),
      chosenConfig === 'default' ? undefined : chosenConfig,
    )
  }
  return (
    <Paper withBorder p="md" component="form" onSubmit={run} role="search">
      <Stack gap="md">
        {steps.map(({ key, endpoint, values }, index) => (
          <Group key={key} align="flex-end" gap="sm" wrap="wrap">
            <NativeSelect
              label={index === 0 ? 'Endpoint' : 'Then'}
              data={endpoints}
              value={endpoint}
              onChange={event => change(key, { endpoint: event.currentTarget.value, values: {} })}
              w={{ base: '100%', xs: 220 }}
            />
            {listParameters(description, endpoint).map(({ name, type, required }) => (
              <TextInput
                key={name}
                label={name}
                placeholder={placeholders[type]}
                required={required && type !== 'text'}
                value={values[name] ?? ''}
                onChange={event => change(key, { values: { ...values, [name]: event.currentTarget.value } })}
                flex={1}
                miw={160}
              />
            ))}
            {steps.length > 1 && (
              <CloseButton
                aria-label={`Remove step ${endpoint}`}
                size="lg"
                onClick={() => setSteps(steps.filter(step => step.key !== key))}
              />
            )}
          </Group>
        ))}
        <Group justify="space-between">
          <Button variant="subtle" onClick={() => setSteps([...steps, createStep(firstChoice(description))])}>
            Add step
          </Button>
          <Group gap="sm">
            {description.configurations.length > 1 && (
              <>
                <Text size="sm" id="config">
                  Configuration
                </Text>
                <NativeSelect
                  aria-labelledby="config"
                  data={description.configurations}
                  value={chosenConfig}
                  onChange={event => setConfig(event.currentTarget.value)}
                  w={140}
                />
              </>
            )}
            <Button type="submit">Search</Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  )
}

/** Example values of types. */
const placeholders: Readonly<Record<string, string>> = { date: '2026-01-31', number: '100', boolean: 'true' }

const listParameters = (description: ApiDescription, endpoint: string) =>
  description.endpoints.find(({ name }) => name === endpoint)?.parameters ?? []

const isRequired = (description: ApiDescription, endpoint: string, parameter: string): boolean =>
  listParameters(description, endpoint).some(({ name, required }) => name === parameter && required)

/** Returns the default endpoint: a text search if there is one. */
const firstChoice = ({ endpoints }: ApiDescription): string =>
  (endpoints.find(({ kind }) => kind === 'match') ?? endpoints[0])?.name ?? ''
