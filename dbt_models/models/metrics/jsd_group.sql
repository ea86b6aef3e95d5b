{{ label_distance('jsd_group', 'jsd') }}
