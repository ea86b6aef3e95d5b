{{ label_distance('fdi_group', 'distance') }}
