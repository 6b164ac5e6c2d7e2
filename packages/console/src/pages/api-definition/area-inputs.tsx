import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import { type InputsProps, ParameterInput } from './draft-inputs.tsx'

type Source = 'query' | 'box' | 'polygon'

/** The box or polygon of an area: the query gives it, or it is fixed. */
export const AreaInputs = (inputs: InputsProps) => {
  const { draft, merge, setKey, fault } = inputs
  const fixed = (['box', 'polygon'] as const).find(key => Array.isArray(draft[key]))
  const [source, setSource] = useState<Source>(fixed ?? 'query')
  const [text, setText] = useState(fixed === undefined ? '' : String(draft[fixed]))
  const change = (typed: string) => {
    setText(typed)
    // A part that is no number stays, so that the server can say so.
    const degrees = typed.split(',').map(part => (part.trim() === '' ? part : Number(part)))
    if (source !== 'query') setKey(source, degrees)
  }
  return (
    <>
      <NativeSelect
        label={t('Area')}
        data={[
          { value: 'query', label: t('The query gives a box or a polygon') },
          { value: 'box', label: t('A fixed box') },
          { value: 'polygon', label: t('A fixed polygon') },
        ]}
        value={source}
        onChange={event => {
          // The values are those of the options.
          setSource(event.currentTarget.value as Source)
          setText('')
          merge({ box: undefined, polygon: undefined })
        }}
      />
      {source === 'query' ? (
        <>
          <ParameterInput {...inputs} name="box" initial="box" label={t('Parameter with the box')} />
          <ParameterInput
            {...inputs}
            name="polygon"
            initial="polygon"
            label={t('Parameter with the polygon')}
          />
        </>
      ) : (
        <TextInput
          label={source === 'box' ? t('Box') : t('Polygon')}
          description={
            source === 'box'
              ? t('South, west, north and east in degrees, separated by commas.')
              : t('Latitude and longitude of each corner in turn, in degrees, separated by commas.')
          }
          placeholder={source === 'box' ? '52.3,4.8,52.4,5' : '52.3,4.8,52.4,4.9,52.3,5'}
          value={text}
          error={fault(source)}
          onChange={event => change(event.currentTarget.value)}
        />
      )}
    </>
  )
}
